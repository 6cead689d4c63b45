/** Two gateways, as on two hosts, over one folder. Each has its own mount, with or without caches. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { MainProcess } from '../support/main-process.ts'
import { startPostgres, type TestPostgres } from '../support/start-postgres.ts'

const isRoot = process.getuid?.() === 0 && process.platform === 'linux'
const absence = existsSync('/usr/bin/bindfs') ? false : "needs Debian's bindfs"
const skip = isRoot ? absence : 'only root may mount a file system'

let postgres: TestPostgres | undefined
before(async () => {
  postgres = await startPostgres()
})
after(() => postgres?.stop())

async function scene(t: TestContext, cachedSeconds: number) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-shared-'))
  // In the order in which they must run.
  const endings: (() => unknown)[] = []
  t.after(async () => {
    for (const end of endings) await end()
    rmSync(folder, { recursive: true, force: true })
  })
  const shared = join(folder, 'shared')
  mkdirSync(shared)
  const databaseUrl = (await postgres?.createDatabase()) ?? assert.fail()
  const start = async (name: string) => {
    const mount = join(folder, name)
    mkdirSync(mount)
    const caches = ['entry', 'negative', 'attr'].map((kind) => `${kind}_timeout=${cachedSeconds}`)
    execFileSync('bindfs', ['-o', caches.join(), shared, mount])
    const settings = {
      ACCESS_KEY: 'AKEXAMPLE',
      SECRET_KEY: 'hunter2hunter2hunter2',
      ALLOWED_BUCKETS: 'photos',
      DATABASE_URL: databaseUrl,
      DRIVE: `file:${mount}`,
      WORKERS: '1',
    }
    const main = new MainProcess(folder, settings, { isElsewhere: true })
    endings.push(
      () => main.kill(),
      () => execFileSync('umount', ['--lazy', mount]),
    )
    await main.url()
    return main
  }
  const hasProbe = () => {
    const temporary = join(shared, '.bucketry/tmp')
    // Of each process. A recursive listing fails if a folder in it is removed meanwhile.
    return readdirSync(temporary).some((name) =>
      readdirSync(join(temporary, name)).some((inside) => inside.startsWith('shared-')),
    )
  }
  return { start, hasProbe }
}

suite('A folder that two gateways share', { skip, timeout: 60_000 }, () => {
  test('without caches, changes are visible at once', async (t) => {
    const { start, hasProbe } = await scene(t, 0)
    await start('one')
    const two = await start('two')
    await two.line(({ msg }) => msg === 'changes of another gateway are visible at once')
    while (hasProbe()) await wait(20)
    const shared = ['coherent-caches', 'same-identities']
    const missing = two.lines.map((line) => String(line.missing))
    assert.deepEqual(
      missing.filter((one) => shared.includes(one)),
      [],
    )
  })

  test('caches of names and attributes are reported', async (t) => {
    const { start } = await scene(t, 1)
    await start('one')
    const two = await start('two')
    const { msg } = await two.line(({ missing }) => missing === 'coherent-caches')
    assert.match(msg, /not visible at once: .*new files/)
    assert.match(msg, /docs\/fleet\.md/)
  })
})
