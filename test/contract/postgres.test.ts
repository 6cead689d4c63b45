import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { DatabaseError } from '../../src/platform/state/database.ts'
import { openDatabase } from '../../src/platform/state/open-database.ts'
import { StatementCounter } from '../support/counting/statement-counter.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { describeBackup } from './backup-contract.ts'
import { describeBucketTables } from './bucket-tables-contract.ts'
import { describeConsoleTables } from './console-tables-contract.ts'
import { describeDatabase } from './database-contract.ts'
import { describeEventTable } from './event-table-contract.ts'
import { describeFileRecords } from './file-records-contract.ts'
import { describeJobTable } from './job-table-contract.ts'
import { describeModelTables } from './model-tables-contract.ts'
import { describePlacedParts } from './placed-parts-contract.ts'
import { describeRoutingTables } from './routing-tables-contract.ts'
import { describeShareTable } from './share-table-contract.ts'
import { describeTwoDrives } from './two-drives-contract.ts'
import { describeUploadTable } from './upload-table-contract.ts'

const server = await startPostgres()

if (server === undefined) {
  const skip = 'needs POSTGRES_URL or the Debian package postgresql'
  describe('PostgreSQL database', { skip })
} else {
  after(() => server.stop())
  const createLocation = async () =>
    ({ kind: 'postgres', url: await server.createDatabase() }) as const

  const folder = await mkdtemp(join(tmpdir(), 'bucketry-postgres-to-'))
  after(() => rm(folder, { recursive: true }))
  const createSqlite = async () =>
    ({ kind: 'sqlite', path: join(folder, randomUUID(), 'bucketry.db') }) as const

  describeBackup('PostgreSQL', createLocation, createLocation)
  describeBackup('PostgreSQL to SQLite', createLocation, createSqlite)
  describeBackup('SQLite to PostgreSQL', createSqlite, createLocation)
  describeConsoleTables('PostgreSQL', createLocation)
  describeBucketTables('PostgreSQL', createLocation)
  describeDatabase('PostgreSQL', createLocation)
  describeFileRecords('PostgreSQL', createLocation)
  describeEventTable('PostgreSQL', createLocation)
  describeJobTable('PostgreSQL', createLocation)
  describePlacedParts('PostgreSQL', createLocation)
  describeModelTables('PostgreSQL', createLocation)
  describeShareTable('PostgreSQL', createLocation)
  describeRoutingTables('PostgreSQL', createLocation)
  describeTwoDrives('PostgreSQL', createLocation)
  describeUploadTable('PostgreSQL', createLocation)

  test('PostgreSQL read and write work again after all connections were lost', async () => {
    const location = await createLocation()
    const database = await openDatabase(location, { migrate: true })
    const slow = database.read('SELECT pg_sleep(30) AS slept')
    const broken = assert.rejects(slow, DatabaseError)
    await untilSleeping(location.url)
    await terminateAll(location.url)
    await broken
    await database.write([{ sql: `INSERT INTO own_folders (identity) VALUES ('after')` }])
    assert.deepEqual(await database.read('SELECT identity FROM own_folders'), [
      { identity: 'after' },
    ])
    await database.close()
  })

  test('PostgreSQL runs a single statement of write as a serializable transaction of its own', async () => {
    const { url } = await createLocation()
    const counter = await StatementCounter.start(url)
    const database = await openDatabase({ kind: 'postgres', url: counter.url }, { migrate: true })
    const create = `CREATE TABLE levels AS
      SELECT 1 AS number, current_setting('transaction_isolation') AS level`
    const insert = `INSERT INTO levels SELECT ?, current_setting('transaction_isolation')`
    await database.write([{ sql: create }])
    const before = counter.statements.length
    await database.write([{ sql: insert, params: [2] }])
    assert.equal(counter.statements.length - before, 1)
    await database.write([{ sql: insert, params: [3], mustChange: 1 }])
    assert.deepEqual(await database.read('SELECT DISTINCT level FROM levels'), [
      { level: 'serializable' },
    ])
    await database.close()
    await counter.close()
  })

  test('PostgreSQL begins a serializable transaction when a pooler drops the option', async () => {
    const { url } = await createLocation()
    const pooler = await startForgetfulPooler(url)
    const database = await openDatabase({ kind: 'postgres', url: pooler.url }, { migrate: true })
    const sql = `INSERT INTO own_folders SELECT current_setting('transaction_isolation')`
    await database.write([{ sql }])
    assert.deepEqual(await database.read('SELECT identity FROM own_folders'), [
      { identity: 'serializable' },
    ])
    assert.ok(pooler.dropped() > 0)
    await database.close()
    pooler.close()
  })

  test('PostgreSQL signals a change to other processes, and again after a lost connection', {
    timeout: 60_000,
  }, async () => {
    const location = await createLocation()
    const [one, other] = [
      await openDatabase(location, { migrate: true }),
      await openDatabase(location, { migrate: false }),
    ]
    const heard: (string | undefined)[] = []
    const own: (string | undefined)[] = []
    const live = Promise.withResolvers<void>()
    const signals = other.subscribe?.((text) => {
      heard.push(text)
      if (signals?.isLive) live.resolve()
    })
    one.subscribe?.((text) => own.push(text))
    await live.promise
    const insert = `INSERT INTO own_folders (identity) VALUES (?) ON CONFLICT DO NOTHING`
    await one.write([{ sql: insert, params: ['a'], signal: 'first' }])
    await one.write([{ sql: insert, params: ['a'], signal: 'no change' }])
    const undone = [
      { sql: insert, params: ['b'], signal: 'undone' },
      { sql: insert, params: ['a'], mustChange: 1 },
    ]
    await assert.rejects(one.write(undone))
    await one.write([{ sql: insert, params: ['c'], signal: 'second' }])
    await until(() => heard.includes('second'))
    assert.deepEqual(
      heard.filter((text) => text !== undefined),
      ['first', 'second'],
    )
    assert.ok(!own.includes('second'))
    await terminateAll(location.url)
    await until(() => signals?.isLive === false)
    await until(() => signals?.isLive === true)
    await one.write([{ sql: insert, params: ['d'], signal: 'third' }])
    await until(() => heard.includes('third'))
    await Promise.all([one.close(), other.close()])
  })

  test('openDatabase reports what is wrong with a server without showing the password', async () => {
    const { url } = await createLocation()
    const absent = new URL(url)
    absent.pathname = '/absent'
    absent.password = 'hush'
    const silent = new URL(absent)
    silent.port = '1'
    for (const [location, expected] of [
      [absent, /has no database of this name/],
      [silent, /is not responding/],
    ] as const) {
      const opening = openDatabase({ kind: 'postgres', url: location.href }, { migrate: true })
      await assert.rejects(opening, (error) => {
        assert.ok(error instanceof DatabaseError)
        assert.match(error.message, expected)
        assert.doesNotMatch(error.message, /hush/)
        return true
      })
    }
  })
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setTimeout(5)
}

/** Forwards connections without their option for the isolation of transactions. */
async function startForgetfulPooler(databaseUrl: string) {
  const url = new URL(databaseUrl)
  const { hostname, port } = url
  const option = '-c default_transaction_isolation=serializable'
  const other = '-c application_name='.padEnd(option.length, 'x')
  let dropped = 0
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port || 5432) })
    upstream.pipe(client)
    client.on('data', (chunk) => {
      const sent = chunk.toString('latin1')
      if (sent.includes(option)) dropped++
      upstream.write(sent.replace(option, other), 'latin1')
    })
    client.on('close', () => upstream.destroy())
    for (const socket of [client, upstream]) socket.on('error', () => client.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: url.href, dropped: () => dropped, close: () => server.close() }
}

async function untilSleeping(url: string): Promise<void> {
  const sql = `SELECT count(*)::int AS many FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%'`
  await withClient(url, async (client) => {
    for (;;) {
      const { rows } = await client.query(sql)
      if (rows[0].many > 0) return
    }
  })
}

async function terminateAll(url: string): Promise<void> {
  const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`
  await withClient(url, async (client) => {
    await client.query(sql)
  })
}

async function withClient(url: string, run: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await run(client)
  } finally {
    await client.end()
  }
}
