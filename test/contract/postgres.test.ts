import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Client } from 'pg'
import { DatabaseError } from '../../src/state/database.ts'
import { openDatabase } from '../../src/state/open-database.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { describeConsoleTables } from './console-tables-contract.ts'
import { describeDatabase } from './database-contract.ts'
import { describeFileRecords } from './file-records-contract.ts'
import { describeRoutingTables } from './routing-tables-contract.ts'
import { describeUploadTable } from './upload-table-contract.ts'

const server = await startPostgres()

if (server === undefined) {
  const skip = 'needs POSTGRES_URL or the Debian package postgresql'
  describe('PostgreSQL database', { skip })
} else {
  after(() => server.stop())
  const createLocation = async () =>
    ({ kind: 'postgres', url: await server.createDatabase() }) as const

  describeConsoleTables('PostgreSQL', createLocation)
  describeDatabase('PostgreSQL', createLocation)
  describeFileRecords('PostgreSQL', createLocation)
  describeRoutingTables('PostgreSQL', createLocation)
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

  test('openDatabase reports what is wrong with a server without showing the password', async () => {
    const { url } = await createLocation()
    const absent = new URL(url)
    absent.pathname = '/absent'
    absent.password = 'hush'
    const silent = new URL(absent)
    silent.port = '1'
    for (const [location, expected] of [
      [absent, /does not have a database of this name/],
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
