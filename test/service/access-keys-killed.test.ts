/** Access keys when the process that changes them is killed, and in backups. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, type TestContext, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { databaseLocation } from '../../src/app/settings/parse-values.ts'
import type { Database } from '../../src/platform/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'
import { Revisions } from '../../src/platform/state/revision-table.ts'
import type { StoredKeys } from '../../src/storage/access/access-keys.ts'
import { testCredentials } from '../support/gateway-process.ts'
import { keyAdminOn, keysInMemory } from '../support/key-registry.ts'
import type { KeyLine } from '../support/key-writer.ts'
import { runCommand } from '../support/run-command.ts'
import { startPostgres, type TestPostgres } from '../support/start-postgres.ts'

const writer = join(import.meta.dirname, '../support/key-writer.ts')
/** How many changes are acknowledged before the kill. Odd numbers: not at the end of a key's life. */
const kills = [1, 7, 23, 61, 101] as const

let postgres: TestPostgres | undefined

before(async () => {
  postgres = await startPostgres()
})
after(() => postgres?.stop())

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-killed-keys-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Lets another process change keys, and kills it after some acknowledged changes. */
async function changeUntilKilled(location: DatabaseLocation, changes: number): Promise<KeyLine[]> {
  const child = spawn(process.execPath, [writer, JSON.stringify(location)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'close')
  const lines: KeyLine[] = []
  let acknowledged = 0
  for await (const line of createInterface({ input: child.stdout })) {
    // The kill may come in the middle of a line, which then was not said.
    if (!line.endsWith('}')) continue
    const said = JSON.parse(line) as KeyLine
    lines.push(said)
    if (said.change.endsWith('ed')) acknowledged += 1
    if (acknowledged === changes) child.kill('SIGKILL')
  }
  const [, signal] = await exit
  assert.equal(signal, 'SIGKILL')
  return lines
}

type Found = ReturnType<StoredKeys['find']>

/** What a process has acknowledged is so; what it had begun is so or not. */
function assertAsSaid(said: readonly KeyLine[], found: Found): void {
  const last = said.at(-1)?.change
  if (last === 'revoked') assert.equal(found, undefined)
  if (last === 'revoked' || (last === 'revoking' && found === undefined)) return
  for (const { secretKey } of said) {
    if (secretKey !== undefined) assert.ok(found?.secretKeys.includes(secretKey), last)
  }
}

/** What is read while nothing changes: PostgreSQL may commit what a killed process has sent a moment later. */
async function readAtOneRevision<Result>(
  database: Database,
  read: () => Promise<Result>,
): Promise<Result> {
  const revisions = new Revisions(database)
  for (;;) {
    const before = await revisions.read()
    const result = await read()
    if (isDeepStrictEqual(before, await revisions.read())) return result
  }
}

for (const kind of ['SQLite', 'PostgreSQL'] as const) {
  test(`A killed process leaves each key as it was before or after a change, on ${kind}`, async (t) => {
    const file = join(folderOf(t), 'state.db')
    const url = kind === 'SQLite' ? `sqlite:${file}` : await postgres?.createDatabase()
    if (url === undefined) return t.skip("needs Debian's postgresql")
    const location = databaseLocation(url)
    const database = await openDatabase(location, { migrate: true })
    t.after(() => database.close())
    const follower = await keysInMemory(database)
    t.after(() => follower.watch.stop())
    for (const changes of kills) {
      const lines = await changeUntilKilled(location, changes)
      const { keys, listed } = await readAtOneRevision(database, async () => {
        await follower.watch.check()
        const fresh = await keysInMemory(database)
        fresh.watch.stop()
        return { keys: fresh.keys, listed: await keyAdminOn(database).list() }
      })
      for (const [accessKeyId, said] of Map.groupBy(lines, (line) => line.accessKeyId)) {
        assertAsSaid(said, keys.find(accessKeyId))
        assert.deepEqual(follower.keys.find(accessKeyId), keys.find(accessKeyId))
      }
      // Those whose creation was not acknowledged, too.
      for (const { key, problem } of listed) {
        assert.equal(problem, undefined)
        assert.ok(follower.keys.find(key.accessKeyId))
      }
    }
  })
}

test('A backup has the access keys, which need the SECRET_KEY that sealed them', async (t) => {
  const folder = folderOf(t)
  const environment = {
    ...{ DRIVE: `file:${join(folder, 'drive')}`, ALLOWED_BUCKETS: 'photos' },
    ...{ ACCESS_KEY: testCredentials.accessKey, SECRET_KEY: testCredentials.secretKey },
  }
  const urls = ['one', 'two'].map((name) => `sqlite:${join(folder, name)}.db`)
  const run = async (url: string | undefined, args: readonly string[], settings: object = {}) => {
    const place = { folder, environment: { ...environment, DATABASE_URL: url ?? '', ...settings } }
    const { status, stdout, stderr } = await runCommand(place, ...args)
    assert.equal(status, 0, stderr)
    return stdout
  }
  const database = await openDatabase(databaseLocation(urls[0] ?? ''), { migrate: true })
  const admin = keyAdminOn(database)
  const grants = [{ bucket: 'photos', prefix: 'a/', actions: ['read'] }] as const
  const made = await admin.create({ name: 'app', note: 'n', grants, limits: { bytes: 5 } })
  const rotated = await admin.rotate(made.key.accessKeyId, 3_600)
  const gone = await admin.create({ name: 'gone', grants })
  await admin.revoke(gone.key.accessKeyId)
  await database.close()

  const file = join(folder, 'backup.gz')
  await run(urls[0], ['backup', file])
  await run(urls[1], ['restore', file])
  const list = ['keys', 'list', '--json']
  assert.equal(await run(urls[1], list), await run(urls[0], list))
  const restored = await openDatabase(databaseLocation(urls[1] ?? ''), { migrate: false })
  t.after(() => restored.close())
  const { keys, watch } = await keysInMemory(restored)
  watch.stop()
  const found = keys.find(made.key.accessKeyId)
  assert.deepEqual(found?.secretKeys, [rotated.secretKey, made.secretKey])
  assert.equal(keys.find(gone.key.accessKeyId), undefined)
  const changed = JSON.parse(await run(urls[1], list, { SECRET_KEY: 'another-secret-key' }))
  assert.match(changed.problem, /encrypted with another SECRET_KEY/)
})
