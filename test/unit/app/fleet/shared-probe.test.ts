import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { factsText } from '../../../../src/app/fleet/gateway-facts.ts'
import { GatewayTable } from '../../../../src/app/fleet/gateway-table.ts'
import { SharedProbe } from '../../../../src/app/fleet/shared-probe.ts'
import { createSealer } from '../../../../src/platform/state/sealer.ts'
import { openTestDatabase } from '../../dashboard/management/management-fixture.ts'
import { tempFolder } from '../../storage/drives/local/temp-folder.ts'

const driveId = 'drive-1'
const { lstat, readFile, readdir } = fs.promises

/** A drive's folder, and two gateways on hosts that are not this one. */
async function scene(t: TestContext) {
  const table = new GatewayTable(await openTestDatabase(t))
  const root = tempFolder(t)
  const own = join(root, '.bucketry/tmp/host-b.1%2F7%2F1000')
  fs.mkdirSync(own, { recursive: true })
  const add = async (id: string, process: string, startedAtMs: number, drives = [driveId]) => {
    const facts = { host: id, version: '1.0.0', driveFormat: 1 }
    const json = factsText({
      facts: { ...facts, drives: Object.fromEntries(drives.map((one) => [`DRIVE_${one}`, one])) },
      ...{ accessKey: 'AK', sealer: createSealer('secret', 'gateways') },
    })
    await table.add({ id, process, startedAtMs, beatTicks: 0, json })
  }
  await add('first', 'host-a.1/7/1000', 1)
  await add('second', 'host-b.1/7/1000', 2)
  const said: { level: string; missing?: unknown; gateway?: unknown }[] = []
  const probeOf = (
    folders: ReadonlyMap<string, string> = new Map([[driveId, root]]),
    firstAnswerMs = 10_000,
  ) => {
    const note = (level: string) => (fields: unknown) =>
      void said.push({ level, ...(fields as object) })
    const log = { debug: () => undefined, info: note('info'), warn: note('warn') }
    const probe = new SharedProbe({ table, log, folders: () => folders, firstAnswerMs })
    t.after(() => probe.close())
    return probe
  }
  /** Both gateways have heartbeats until the second one has a result. */
  const play = async (first: SharedProbe, second: SharedProbe) => {
    while (said.length === 0) {
      first.look('first', await table.all())
      second.look('second', await table.all())
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await second.close()
  }
  return { table, root, add, said, probeOf, play }
}

test('Gateways that see changes of the other one at once', async (t) => {
  const { root, said, probeOf, play, table } = await scene(t)
  await play(probeOf(), probeOf())
  assert.deepEqual(said, [{ level: 'info', folder: root, gateway: 'first' }])
  assert.deepEqual(fs.readdirSync(join(root, '.bucketry/tmp/host-b.1%2F7%2F1000')), [])
  assert.deepEqual(
    (await table.all()).map(({ question }) => question),
    ['', ''],
  )
})

for (const [what, lie] of [
  [
    'a new file',
    (t: TestContext) =>
      t.mock.method(fs.promises, 'lstat', (path: string) =>
        lstat(path.includes('created') ? '/nowhere' : path),
      ),
  ],
  [
    'a file that was replaced',
    (t: TestContext) =>
      t.mock.method(fs.promises, 'readFile', async (path: string) =>
        path.endsWith('/replaced') ? '0' : await readFile(path, 'latin1'),
      ),
  ],
  [
    'a listing',
    (t: TestContext) =>
      t.mock.method(fs.promises, 'readdir', async (path: string) =>
        (await readdir(path)).filter((name) => !name.startsWith('created')),
      ),
  ],
] as const) {
  test(`A gateway that does not see ${what}`, async (t) => {
    const { root, said, probeOf, play } = await scene(t)
    lie(t)
    await play(probeOf(), probeOf())
    const fields = { level: 'warn', folder: root, gateway: 'first', missing: 'coherent-caches' }
    assert.deepEqual(said, [fields])
  })
}

test('Gateways that see different inode numbers', async (t) => {
  const { said, probeOf, play } = await scene(t)
  let looks = 0
  t.mock.method(fs.promises, 'lstat', async (path: string) => {
    const stats = await lstat(path)
    if (path.endsWith('/replaced')) stats.ino += looks++
    return stats
  })
  await play(probeOf(), probeOf())
  assert.deepEqual(
    said.map(({ missing }) => missing),
    ['same-identities'],
  )
})

test('A gateway that does not answer is asked three times', async (t) => {
  const { table, root, said, probeOf } = await scene(t)
  const second = probeOf(undefined, 20)
  const asked = t.mock.method(table, 'ask')
  const questions = () =>
    asked.mock.calls.filter(({ arguments: [, question] }) => question !== '').length
  while (said.length === 0) {
    second.look('second', await table.all())
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await second.close()
  second.look('second', await table.all())
  assert.equal(questions(), 3)
  assert.deepEqual(said, [{ level: 'info', folder: root, gateway: 'first', missing: 'untested' }])
})

test('A test that fails three times is reported', async (t) => {
  const { table, root, said, probeOf } = await scene(t)
  fs.rmSync(join(root, '.bucketry/tmp'), { recursive: true })
  fs.writeFileSync(join(root, '.bucketry/tmp'), '')
  const second = probeOf(undefined, 20)
  while (said.length === 0) {
    second.look('second', await table.all())
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await second.close()
  assert.deepEqual(said, [{ level: 'info', folder: root, gateway: 'first', missing: 'untested' }])
})

test('A question that stays does not block the answer to others', async (t) => {
  const { table, said, probeOf, play, add } = await scene(t)
  await add('third', 'host-c.1/7/1000', 3)
  const gone = { to: 'first', driveId, folder: 'shared-gone', round: 1 }
  await table.ask('third', JSON.stringify(gone))
  await play(probeOf(), probeOf())
  assert.deepEqual(said.map(({ level, missing }) => [level, missing]).at(-1), ['info', undefined])
})

test('Without the folder of the process, nothing is created', async (t) => {
  const { table, root, probeOf } = await scene(t)
  fs.rmSync(join(root, '.bucketry'), { recursive: true })
  const second = probeOf()
  second.look('second', await table.all())
  await second.close()
  assert.deepEqual(fs.readdirSync(root), [])
})

test('The first gateway, and one with another drive, ask nothing', async (t) => {
  const { table, add, probeOf } = await scene(t)
  await add('third', 'host-c.1/7/1000', 3, ['drive-2'])
  const asked = t.mock.method(table, 'ask')
  const rows = await table.all()
  probeOf().look('first', rows)
  probeOf(new Map([['drive-2', '/nowhere']])).look('third', rows)
  probeOf(new Map()).look('second', rows)
  assert.equal(asked.mock.callCount(), 0)
})

test('A test changes only its own folder', async (t) => {
  const { table, root, add, probeOf } = await scene(t)
  await add('../../..', '../../..', 3)
  const answered = t.mock.method(table, 'answer')
  const first = probeOf()
  const before = fs.readdirSync(root, { recursive: true }).sort()
  const ask = async (id: string, folder: string) => {
    await table.ask(id, JSON.stringify({ to: 'first', driveId, folder, round: 1 }))
    first.look('first', await table.all())
    while (answered.mock.callCount() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.deepEqual(answered.mock.calls.at(-1)?.arguments, ['first', ''])
    answered.mock.resetCalls()
    await table.ask(id, '')
  }
  await ask('second', '../../../../photos')
  await ask('../../..', 'shared-1')
  assert.deepEqual(fs.readdirSync(root, { recursive: true }).sort(), before)
})
