import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { liveness, Readiness } from '../../../../src/app/gateway/readiness.ts'
import type { Database } from '../../../../src/platform/state/database.ts'
import { DatabaseError } from '../../../../src/platform/state/database.ts'
import { openDatabase } from '../../../../src/platform/state/open-database.ts'
import type { DriveAccess } from '../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import { requestOf } from '../start/request-of.ts'

interface Fakes {
  readonly check?: (access?: DriveAccess) => Promise<void>
  readonly wrap?: (database: Database) => Database
  readonly timeoutMs?: number
  readonly readsAlone?: boolean
}

/** Over a real database, whose commits are what is checked. */
async function readinessOf(
  t: TestContext,
  { check, wrap = (one) => one, timeoutMs = 30_000, readsAlone = false }: Fakes = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-ready-'))
  const location = { kind: 'sqlite', path: join(folder, 'state.db') } as const
  const database = await openDatabase(location, { migrate: true })
  t.after(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })
  const drive = { check: check ?? (async () => undefined), readsAlone }
  const failures: string[] = []
  let nowMs = 0
  const readiness = new Readiness({
    ...{ drive, database: wrap(database), timeoutMs, now: () => nowMs },
    onFailure: (part, error) => failures.push(`${part}: ${(error as Error).message}`),
  })
  return {
    readiness,
    failures,
    database,
    pass: (ms: number) => {
      nowMs += ms
    },
    async ask(target = '/-/readyz') {
      const { status, body } = await readiness.handler(requestOf('GET', target))
      return [status, JSON.parse(String(body))]
    },
  }
}

const ready = { ready: true }

test('Readiness answers 200 when reads and writes are ready, and has committed a row', async (t) => {
  const { ask, database } = await readinessOf(t)
  assert.deepEqual(await ask(), [200, { status: 'ready', reads: ready, writes: ready }])
  const rows = await database.read("SELECT key FROM auth_kv WHERE family = 'readyz'")
  assert.equal(rows.length, 1)
})

test('Readiness answers for reads and for writes alone', async (t) => {
  const check = async (access?: DriveAccess) => {
    if (access === 'writes') throw new DriveError('full', 'There is no space.')
  }
  const { ask, failures } = await readinessOf(t, { check })
  const writes = { ready: false, failing: ['drive'] }
  assert.deepEqual(await ask('/-/readyz/reads'), [200, { status: 'ready', reads: ready }])
  assert.deepEqual(await ask('/-/readyz/writes'), [503, { status: 'unavailable', writes }])
  assert.deepEqual(await ask(), [503, { status: 'unavailable', reads: ready, writes }])
  assert.deepEqual(failures, ['drive (writes): There is no space.'])
  assert.equal((await ask('/-/readyz/other'))[0], 404)
})

test('Writes are not ready when the database reads but does not commit', async (t) => {
  const { ask, failures } = await readinessOf(t, {
    wrap: (database) => ({
      kind: database.kind,
      read: (sql, params) => database.read(sql, params),
      check: () => database.check(),
      close: () => database.close(),
      write: () => Promise.reject(new DatabaseError('read-only')),
    }),
  })
  const writes = { ready: false, failing: ['database'] }
  assert.deepEqual(await ask(), [503, { status: 'unavailable', reads: ready, writes }])
  assert.equal(failures.length, 1)
})

test('Readiness answers 503 when the drive does not answer in time', async (t) => {
  const check = () => new Promise<void>(() => undefined)
  const answered = Promise.withResolvers<void>()
  const wrap = (database: Database): Database => ({
    kind: database.kind,
    read: (sql, params) => database.read(sql, params),
    write: (statements) => database.write(statements),
    check: () => database.check().finally(answered.resolve),
    close: () => database.close(),
  })
  const { ask } = await readinessOf(t, { check, wrap, timeoutMs: 50 })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const asked = ask('/-/readyz/reads')
  // The time passes only now: the database of a busy machine may take longer.
  await answered.promise
  await new Promise((resolve) => setImmediate(resolve))
  t.mock.timers.tick(50)
  const reads = { ready: false, failing: ['drive'] }
  assert.deepEqual(await asked, [503, { status: 'unavailable', reads }])
})

test('Readiness tries a write every five seconds at most, and a failed one every second', async (t) => {
  const asked = { reads: 0, writes: 0 }
  let isFull = false
  const { ask, pass } = await readinessOf(t, {
    check: async (access = 'reads') => {
      asked[access] += 1
      if (isFull && access === 'writes') throw new DriveError('full', 'There is no space.')
    },
  })
  await Promise.all([ask(), ask('/-/readyz/writes'), ask('/-/readyz/')])
  pass(4_999)
  await ask()
  assert.deepEqual(asked, { reads: 2, writes: 1 })
  isFull = true
  pass(1)
  await ask()
  pass(1_000)
  await ask()
  assert.deepEqual(asked, { reads: 3, writes: 3 })
})

test('A process that is about to stop is not ready, without asking any part', async (t) => {
  const { ask, readiness } = await readinessOf(t, { check: () => assert.fail() })
  readiness.beginStop()
  assert.deepEqual(await ask(), [503, { status: 'stopping' }])
  assert.deepEqual(await ask('/-/readyz/reads'), [503, { status: 'stopping' }])
})

test('Liveness answers 200 to GET and HEAD, and 405 to others', async () => {
  assert.equal((await liveness(requestOf('GET', '/-/livez'))).body, '{"status":"ok"}')
  assert.equal((await liveness(requestOf('HEAD', '/-/livez'))).status, 200)
  assert.equal((await liveness(requestOf('POST', '/-/livez'))).status, 405)
})

test('Reads are ready without the database on a drive that reads alone', async (t) => {
  for (const lost of [
    Promise.reject(new DatabaseError('gone')),
    new Promise<never>(() => undefined),
  ]) {
    lost.catch(() => undefined)
    const wrap = (database: Database): Database => ({
      kind: database.kind,
      read: () => lost,
      write: () => lost,
      check: () => lost,
      close: () => database.close(),
    })
    const { ask } = await readinessOf(t, { wrap, readsAlone: true, timeoutMs: 2_000 })
    const reads = { ready: true, failing: ['database'] }
    const writes = { ready: false, failing: ['database'] }
    assert.deepEqual(await ask('/-/readyz/reads'), [200, { status: 'ready', reads }])
    assert.deepEqual(await ask('/-/readyz'), [503, { status: 'unavailable', reads, writes }])
  }
})
