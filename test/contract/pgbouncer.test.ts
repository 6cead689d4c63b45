import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { openDatabase } from '../../src/platform/state/open-database.ts'
import { absenceOfPgBouncer, startPgBouncer } from '../support/start-pgbouncer.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { describeBackup } from './backup-contract.ts'
import { describeDatabase } from './database-contract.ts'

const server = absenceOfPgBouncer() ? undefined : await startPostgres()

if (server === undefined) {
  const skip = absenceOfPgBouncer() || 'needs POSTGRES_URL or the Debian package postgresql'
  describe('PgBouncer in transaction mode', { skip })
} else {
  const pooler = await startPgBouncer(await server.createDatabase(), 4)
  after(async () => {
    await pooler.stop()
    await server.stop()
  })
  const createLocation = async () =>
    ({ kind: 'postgres', url: pooler.urlOf(await server.createDatabase()) }) as const

  describeDatabase('PgBouncer', createLocation)
  describeBackup('PgBouncer', createLocation, createLocation)

  test('PgBouncer gets serializable transactions, and no connection that listens', async () => {
    const direct = await server.createDatabase()
    const location = { kind: 'postgres', url: pooler.urlOf(direct) } as const
    const database = await openDatabase(location, { migrate: true })
    const signals = database.subscribe?.(() => undefined)
    const sql = `INSERT INTO own_folders SELECT current_setting('transaction_isolation')`
    await database.write([{ sql, signal: 'changed' }])
    assert.deepEqual(await database.read('SELECT identity FROM own_folders'), [
      { identity: 'serializable' },
    ])
    assert.equal(signals?.isLive, false)
    assert.deepEqual(await database.read('SELECT pg_listening_channels() AS name'), [])
    await database.close()
  })
}
