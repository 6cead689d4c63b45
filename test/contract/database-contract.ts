import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Database, DatabaseError, UnmetChange } from '../../src/platform/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'

const processFile = fileURLToPath(new URL('../support/database-process.ts', import.meta.url))
const insert = 'INSERT INTO counters (name, value) VALUES (?, ?)'
const increment = 'UPDATE counters SET value = value + 1 WHERE name = ?'
const killAfterLines = 200

/**
 * The contract of every Database. `createLocation` returns a new, empty database each time.
 */
export function describeDatabase(name: string, createLocation: () => Promise<DatabaseLocation>) {
  describe(`${name} database`, () => {
    describeStatements(createLocation)
    describeConcurrency(createLocation)
    describeMigrations(createLocation)
  })
}

function describeStatements(createLocation: () => Promise<DatabaseLocation>) {
  let database: Database
  before(async () => {
    database = await openCounters(await createLocation())
  })
  after(() => database.close())

  test('read returns plain objects with numbers, texts and nulls', async () => {
    await database.write([
      { sql: insert, params: ['read é 🎉 \u0001', 9_007_199_254_740_991] },
      { sql: insert, params: ['read null', null] },
    ])
    const rows = await database.read(
      'SELECT name, value FROM counters WHERE name LIKE ? ORDER BY value',
      ['read %'],
    )
    assert.deepEqual(
      new Set(rows),
      new Set([
        { name: 'read é 🎉 \u0001', value: 9_007_199_254_740_991 },
        { name: 'read null', value: null },
      ]),
    )
    const sums = await database.read(
      'SELECT count(*) AS many, sum(value) AS total, avg(ratio) AS ratio FROM counters WHERE name LIKE ?',
      ['read %'],
    )
    assert.deepEqual(sums, [{ many: 2, total: 9_007_199_254_740_991, ratio: 0.5 }])
  })

  test('read leaves question marks in texts alone', async () => {
    const rows = await database.read(`SELECT '?''?' AS "a?" WHERE 1 = ? -- ?`, [1])
    assert.deepEqual(rows, [{ 'a?': `?'?` }])
  })

  test('read rejects with DatabaseError and the cause when the statement is wrong', async () => {
    await assert.rejects(database.read('SELECT nothing FROM nowhere'), isDatabaseError)
  })

  test('write returns the number of changes and the rows of RETURNING', async () => {
    const results = await database.write([
      { sql: insert, params: ['write a', 1] },
      { sql: `${insert}, ('write c', 3)`, params: ['write b', 2] },
      {
        sql: `UPDATE counters SET value = value + 10 WHERE name IN ('write a', 'write b')
          RETURNING name, value`,
        mustChange: 2,
      },
      { sql: `DELETE FROM counters WHERE name LIKE 'write %'` },
    ])
    assert.deepEqual(
      results.map(({ changes }) => changes),
      [1, 2, 2, 3],
    )
    assert.deepEqual(
      new Set(results[2]?.rows),
      new Set([
        { name: 'write a', value: 11 },
        { name: 'write b', value: 12 },
      ]),
    )
  })

  test('write keeps nothing when its last statement fails', async () => {
    const twice = { sql: insert, params: ['all or nothing', 1] }
    await assert.rejects(database.write([twice, twice]), isDatabaseError)
    assert.equal(await countLike(database, 'all or nothing'), 0)
  })

  test('write keeps nothing and names the statement when mustChange is not met', async () => {
    const call = database.write([
      { sql: insert, params: ['unmet', 1], mustChange: 1 },
      { sql: increment, params: ['nobody'], mustChange: 1 },
    ])
    await assert.rejects(
      call,
      (error) => error instanceof UnmetChange && error.statementIndex === 1,
    )
    assert.equal(await countLike(database, 'unmet'), 0)
  })

  test('concurrent calls of write are kept or undone separately', async () => {
    const calls = Array.from({ length: 60 }, (_, index) =>
      database.write([
        { sql: insert, params: [`side ${index}`, index] },
        ...(index % 3 === 1 ? [{ sql: increment, params: ['nobody'], mustChange: 1 }] : []),
        ...(index % 3 === 2 ? [{ sql: 'INSERT INTO nowhere VALUES (1)' }] : []),
      ]),
    )
    const settled = await Promise.allSettled(calls)
    const kept = await database.read<{ value: number }>(
      `SELECT value FROM counters WHERE name LIKE 'side %' ORDER BY value`,
    )
    assert.deepEqual(
      kept.map(({ value }) => value),
      settled.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : [])),
    )
    assert.equal(kept.length, 20)
  })

  test('write is seen by the next read', async () => {
    await database.write([{ sql: insert, params: ['seen', 0] }])
    for (let value = 1; value <= 50; value++) {
      await database.write([{ sql: increment, params: ['seen'] }])
      const rows = await database.read('SELECT value FROM counters WHERE name = ?', ['seen'])
      assert.deepEqual(rows, [{ value }])
    }
  })

  test('check resolves while open; read, write and check reject after close', async () => {
    const other = await openDatabase(await createLocation(), { migrate: true })
    await other.check()
    await other.close()
    await other.close()
    await assert.rejects(other.check(), DatabaseError)
    await assert.rejects(other.read('SELECT 1'), DatabaseError)
    await assert.rejects(other.write([{ sql: 'DELETE FROM own_folders' }]), DatabaseError)
  })

  test('close finishes the writes that were accepted', async () => {
    const location = await createLocation()
    const other = await openCounters(location)
    const calls = Array.from({ length: 100 }, (_, index) =>
      other.write([{ sql: insert, params: [`late ${index}`, index] }]),
    )
    await Promise.all([...calls, other.close()])
    const again = await openDatabase(location, { migrate: false })
    assert.equal(await countLike(again, 'late %'), 100)
    await again.close()
  })
}

function describeConcurrency(createLocation: () => Promise<DatabaseLocation>) {
  let location: DatabaseLocation
  let database: Database
  before(async () => {
    location = await createLocation()
    database = await openCounters(location)
    await database.write([{ sql: insert, params: ['shared', 0] }])
  })
  after(() => database.close())

  test('write lets one of 32 callers win when all want the same row', async () => {
    const claim = `INSERT INTO counters (name, value) VALUES ('won', ?) ON CONFLICT DO NOTHING`
    const settled = await Promise.allSettled(
      Array.from({ length: 32 }, (_, caller) =>
        database.write([{ sql: claim, params: [caller], mustChange: 1 }]),
      ),
    )
    const winner = settled.findIndex(({ status }) => status === 'fulfilled')
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const result of settled) {
      if (result.status === 'rejected') assert.ok(result.reason instanceof UnmetChange)
    }
    const rows = await database.read(`SELECT value FROM counters WHERE name = 'won'`)
    assert.deepEqual(rows, [{ value: winner }])
  })

  test('write checks and changes as if calls ran one after another', async () => {
    // Each call inserts only while there are fewer than 5: it must never see an old count.
    const sql = `INSERT INTO counters (name, value) SELECT ?, 0
      WHERE (SELECT count(*) FROM counters WHERE name LIKE 'limited %') < 5`
    const settled = await Promise.allSettled(
      Array.from({ length: 20 }, (_, caller) =>
        database.write([{ sql, params: [`limited ${caller}`], mustChange: 1 }]),
      ),
    )
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 5)
    assert.equal(await countLike(database, 'limited %'), 5)
  })

  test('write from three processes loses no update', async () => {
    const children = ['40', '40', '40'].map((times) => startProcess(location, 'increment', times))
    for (const status of await Promise.all(children.map(exitStatus))) assert.equal(status, 0)
    const rows = await database.read(`SELECT value FROM counters WHERE name = 'shared'`)
    assert.deepEqual(rows, [{ value: 3 * 40 * 8 }])
  })

  test('write that was acknowledged is kept, whole, when the process is killed', async () => {
    const child = startProcess(location, 'acknowledge')
    const acknowledged: string[] = []
    assert.ok(child.stdout)
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(line)
      if (acknowledged.length === killAfterLines) child.kill('SIGKILL')
    }
    assert.ok(acknowledged.length >= killAfterLines)
    const rows = await database.read<{ name: string }>('SELECT name FROM counters')
    const names = new Set(rows.map((row) => row.name))
    for (const pair of acknowledged) assert.ok(names.has(`${pair}-first`), `${pair} is lost`)
    for (const pair of names) {
      if (!pair.endsWith('-first')) continue
      assert.ok(names.has(pair.replace('-first', '-second')), `${pair} is torn`)
    }
  })

  test('an open but idle database lets its process end', { timeout: 20_000 }, async () => {
    assert.equal(await exitStatus(startProcess(location, 'idle')), 0)
  })
}

function describeMigrations(createLocation: () => Promise<DatabaseLocation>) {
  test('openDatabase migrates once, however often and from however many processes', async () => {
    const location = await createLocation()
    const children = Array.from({ length: 4 }, () => startProcess(location, 'migrate'))
    for (const status of await Promise.all(children.map(exitStatus))) assert.equal(status, 0)
    const database = await openDatabase(location, { migrate: true })
    const rows = await database.read<{ number: number }>(
      'SELECT number FROM migrations ORDER BY number',
    )
    assert.ok(rows.length >= 1)
    assert.deepEqual(
      rows.map(({ number }) => number),
      rows.map((_, index) => index + 1),
    )
    await database.close()
  })

  test('openDatabase without migrate refuses a database that was never migrated', async () => {
    await assert.rejects(openDatabase(await createLocation(), { migrate: false }), DatabaseError)
  })

  test('openDatabase goes on with what a newer version added, and refuses what it broke', async () => {
    const location = await createLocation()
    const migrated = async (number: number, name: string) => {
      const database = await openDatabase(location, { migrate: true })
      const sql = `INSERT INTO migrations (number, name, checksum, applied_at_ms) VALUES (?, ?, '', 0)`
      await database.write([{ sql, params: [number, name] }])
      await database.close()
    }
    await migrated(9_000, 'from-the-future')
    await migrated(9_999, 'breaking-from-the-future')
    for (const migrate of [true, false]) {
      await assert.rejects(openDatabase(location, { migrate }), (error) => {
        assert.ok(error instanceof DatabaseError)
        assert.match(error.message, /newer version.*9999-breaking-from-the-future/)
        return true
      })
    }
  })
}

async function openCounters(location: DatabaseLocation): Promise<Database> {
  const database = await openDatabase(location, { migrate: true })
  await database.write([
    {
      sql: `CREATE TABLE counters (
        name TEXT NOT NULL PRIMARY KEY, value BIGINT, ratio DOUBLE PRECISION DEFAULT 0.5)`,
    },
  ])
  return database
}

async function countLike(database: Database, pattern: string): Promise<number> {
  const sql = 'SELECT count(*) AS many FROM counters WHERE name LIKE ?'
  const [row] = await database.read<{ many: number }>(sql, [pattern])
  return row?.many ?? 0
}

function startProcess(location: DatabaseLocation, task: string, times = '0'): ChildProcess {
  return spawn(process.execPath, [processFile, JSON.stringify(location), task, times], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function exitStatus(child: ChildProcess): Promise<number | null> {
  child.stdout?.resume()
  const [status] = await once(child, 'exit')
  return status
}

function isDatabaseError(error: unknown): boolean {
  return error instanceof DatabaseError && error.cause !== undefined
}
