/** A drive belongs to one database (docs/decisions/0018-drive-owner.md). */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { assertWithin } from '../support/assert-within.ts'
import { MainProcess, type MainProcessOptions } from '../support/main-process.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { absenceOfRclone, startRcloneServe } from '../support/webdav/rclone-serve.ts'

const credentials = {
  accessKey: 'AKEXAMPLE',
  secretKey: 'hunter2hunter2hunter2',
  region: 'us-east-1',
}
const required = {
  ACCESS_KEY: credentials.accessKey,
  SECRET_KEY: credentials.secretKey,
  ALLOWED_BUCKETS: 'photos',
}
const canMount = process.platform === 'linux' && process.getuid?.() === 0

/** One signed request to the gateway at the address. */
function ask(url: string, method: string, target: string, body?: string): Promise<Response> {
  const server = { host: new URL(url).host, credentials }
  return signedFetch(server, { method, target, ...(body === undefined ? {} : { body }) })
}

function scene(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-owner-'))
  const drive = join(folder, 'drive')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const start = (
    database: string,
    settings: Record<string, string> = {},
    options: MainProcessOptions = {},
  ) => {
    const DATABASE_URL = `sqlite:${join(folder, database)}`
    const DRIVE = `file:${drive}`
    const main = new MainProcess(folder, { ...required, DATABASE_URL, DRIVE, ...settings }, options)
    t.after(() => main.kill())
    return main
  }
  return { folder, drive, start }
}

test('A gateway with another database is refused at once while the owner runs', async (t) => {
  const { start } = scene(t)
  const first = start('a.db')
  const url = await first.url()
  const second = start('b.db')
  assert.equal(await second.ended(), 1)
  // It did not have to wait for a heartbeat.
  assert.deepEqual(second.lines, [])
  assert.match(second.stderr, /DRIVE is file:.*a\.db.*DATABASE_URL is sqlite:.*b\.db/)
  assert.equal((await fetch(`${url}/-/healthz`)).status, 200)
})

for (const kind of ['folder', 'WebDAV server'] as const) {
  test(`A gateway on another host with another database exits within 5 s and the time of a start: ${kind}`, {
    skip: canMount ? kind === 'WebDAV server' && absenceOfRclone() : 'only root may be elsewhere',
  }, async (t) => {
    const { start } = scene(t)
    const server = kind === 'folder' ? undefined : await startRcloneServe(t)
    const settings = server === undefined ? {} : { DRIVE: server.url }
    const firstAt = performance.now()
    const first = start('a.db', settings, { isElsewhere: true })
    await first.url()
    // On a busy machine, the start alone takes seconds.
    const limitMs = 5_000 + performance.now() - firstAt
    // Also right after a heartbeat.
    for (let round = 0; round < 3; round += 1) {
      await assertWithin(limitMs, async () => {
        const startedAt = performance.now()
        const second = start('b.db', settings, { isElsewhere: true })
        assert.equal(await second.ended(), 1)
        assert.match(second.stderr, /DATABASE_URL is sqlite:.*b\.db/)
        return performance.now() - startedAt
      })
    }
  })
}

test('A killed gateway starts again at once, and two gateways share one database', async (t) => {
  const { start } = scene(t)
  const first = start('a.db')
  await first.url()
  await first.kill()
  const again = start('a.db')
  await again.url()
  const beside = start('a.db')
  await beside.url()
  for (const main of [again, beside]) {
    assert.ok(main.lines.every(({ msg }) => !/another database/.test(msg)))
  }
})

test("A lost database's uploads are kept by the database that takes the drive over", async (t) => {
  const { drive, start } = scene(t)
  const first = start('a.db')
  const url = await first.url()
  const created = await ask(url, 'POST', '/photos/big?uploads')
  const uploadId = /<UploadId>(.*)<\/UploadId>/.exec(await created.text())?.[1] ?? ''
  const sent = await ask(url, 'PUT', `/photos/big?partNumber=1&uploadId=${uploadId}`, 'bytes')
  assert.equal(sent.status, 200)
  await first.kill()
  const upload = join(drive, '.bucketry/uploads', uploadId)
  const before = new Date(Date.now() - 3 * 3_600_000)
  for (const name of readdirSync(upload)) utimesSync(join(upload, name), before, before)
  utimesSync(upload, before, before)
  const second = start('b.db')
  await second.url()
  assert.ok(second.lines.some(({ msg }) => /took over the drive/.test(msg)))
  second.signal('SIGTERM')
  // It stops when the sweep that it began with has ended.
  assert.equal(await second.ended(), 0)
  assert.ok(existsSync(upload))
  const restored = start('a.db')
  const listed = await ask(await restored.url(), 'GET', `/photos/big?uploadId=${uploadId}`)
  assert.match(await listed.text(), /<PartNumber>1</)
})

test('A gateway that was suspended while another took its drive over ends with a message', async (t) => {
  const { drive, start } = scene(t)
  const main = start('a.db', { WORKERS: '2' })
  await main.url()
  main.signal('SIGSTOP')
  const path = join(drive, '.bucketry/owner.json')
  const note = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...note, databaseId: 'b', database: 'sqlite:/b.db on b' }))
  main.signal('SIGCONT')
  assert.equal(await main.ended(), 1)
  assert.match(main.stderr, /now belongs to another database \(sqlite:\/b\.db on b\)/)
})

test('An unmounted drive is not served, and nothing is created in its place', {
  skip: canMount ? false : 'only root may mount a file system',
}, async (t) => {
  const { drive, start } = scene(t)
  mkdirSync(drive)
  // What a gateway without an owner note may have left below the mount point.
  mkdirSync(join(drive, '.bucketry/tmp'), { recursive: true })
  mkdirSync(join(drive, 'photos'))
  const namesIn = (folder: string) => readdirSync(folder, { recursive: true }).sort()
  const below = namesIn(drive)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', drive])
  const unmount = () => execFileSync('umount', ['--lazy', drive])
  t.after(() => {
    if (existsSync(join(drive, 'mounted'))) unmount()
  })
  writeFileSync(join(drive, 'mounted'), '')
  const main = start('a.db', { WORKERS: '2' })
  const url = await main.url()
  const put = () => ask(url, 'PUT', '/photos/a', 'x')
  const get = (target: string) => ask(url, 'GET', target)
  assert.equal((await put()).status, 200)
  unmount()
  for (const reply of [await put(), await get('/photos/a'), await get('/photos?list-type=2')]) {
    assert.equal(reply.status, 503)
    // The path on this machine is not shown to clients.
    assert.doesNotMatch(await reply.text(), new RegExp(drive))
  }
  for (const pid of main.workers()) process.kill(pid, 'SIGKILL')
  await main.line(({ msg }) => msg === 'worker could not start')
  assert.deepEqual(namesIn(drive), below)
  await main.kill()
  for (const name of below.toReversed()) rmSync(join(drive, String(name)), { recursive: true })
  const later = start('a.db')
  assert.equal(await later.ended(), 1)
  assert.match(later.stderr, /DRIVE is file:.*not mounted, mount it/)
  assert.deepEqual(readdirSync(drive), [])
})

test('A drive starts through a symbolic link at the first start already', async (t) => {
  const { folder, drive, start } = scene(t)
  mkdirSync(drive)
  const link = join(folder, 'link')
  symlinkSync(drive, link)
  const main = start('a.db', { DRIVE: `file:${link}` })
  const url = await main.url()
  assert.equal((await ask(url, 'PUT', '/photos/a', 'x')).status, 200)
  assert.equal(readFileSync(join(drive, 'photos/a'), 'utf8'), 'x')
})

test('A drive that is not mounted is refused by every path that leads to its folder', async (t) => {
  const { folder, drive, start } = scene(t)
  const [link, later] = [join(folder, 'link'), join(folder, 'later')]
  mkdirSync(drive)
  symlinkSync(drive, link)
  const first = start('a.db')
  await first.url()
  await first.kill()
  rmSync(drive, { recursive: true })
  // The folder itself may be absent too.
  const dangling = start('a.db', { DRIVE: `file:${link}` })
  assert.equal(await dangling.ended(), 1)
  assert.match(dangling.stderr, /link is a symbolic link to a folder that does not exist/)
  mkdirSync(drive)
  symlinkSync(folder, later)
  for (const path of [link, `${later}/drive`]) {
    const main = start('a.db', { DRIVE: `file:${path}` })
    assert.equal(await main.ended(), 1, path)
    assert.match(main.stderr, /not mounted, mount it/)
  }
  assert.deepEqual(readdirSync(drive), [])
})

test('A symbolic link that leads to an empty folder now is refused as not mounted', async (t) => {
  const { folder, drive, start } = scene(t)
  const [link, empty] = [join(folder, 'link'), join(folder, 'empty')]
  for (const path of [drive, empty]) mkdirSync(path)
  symlinkSync(drive, link)
  const first = start('a.db', { DRIVE: `file:${link}` })
  await first.url()
  await first.kill()
  rmSync(link)
  symlinkSync(empty, link)
  const second = start('a.db', { DRIVE: `file:${link}` })
  assert.equal(await second.ended(), 1)
  assert.match(second.stderr, /not mounted, mount it/)
  assert.deepEqual(readdirSync(empty), [])
})

test('A WebDAV folder that was emptied is refused with a trailing slash in DRIVE too', {
  skip: absenceOfRclone(),
  timeout: 120_000,
}, async (t) => {
  const { start } = scene(t)
  const server = await startRcloneServe(t)
  assert.ok(server)
  const first = start('a.db', { DRIVE: server.url })
  await first.url()
  await first.kill()
  for (const name of readdirSync(server.root)) rmSync(join(server.root, name), { recursive: true })
  const second = start('a.db', { DRIVE: `${server.url}/` })
  assert.equal(await second.ended(), 1)
  assert.match(second.stderr, /not mounted, mount it/)
  assert.deepEqual(readdirSync(server.root), [])
})

test('A running gateway keeps its drive when the owner note is emptied or deleted', {
  timeout: 120_000,
}, async (t) => {
  const { drive, start } = scene(t)
  const first = start('a.db')
  const url = await first.url()
  const path = join(drive, '.bucketry/owner.json')
  for (const lose of [() => writeFileSync(path, ''), () => rmSync(path)]) {
    lose()
    const second = start('b.db')
    assert.equal(await second.ended(), 1)
    assert.match(second.stderr, /belongs to another database/)
    assert.equal((await fetch(`${url}/-/healthz`)).status, 200)
  }
})
