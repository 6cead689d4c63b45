import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { DatabaseClock } from '../../src/platform/state/database-clock.ts'
import { openDatabase } from '../../src/platform/state/open-database.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { describeKeyLeases } from './key-leases-contract.ts'

const server = await startPostgres()

if (server === undefined) {
  const skip = 'needs POSTGRES_URL or the Debian package postgresql'
  describe('PostgreSQL key leases', { skip })
} else {
  after(() => server.stop())
  describeKeyLeases('PostgreSQL', async () => ({
    kind: 'postgres',
    url: await server.createDatabase(),
  }))

  describe('PostgreSQL clock', () => {
    it('is the time of gateways with different clocks', async (t) => {
      const location = { kind: 'postgres', url: await server.createDatabase() } as const
      const database = await openDatabase(location, { migrate: true })
      t.after(() => database.close())
      const real = Date.now
      const clocks = []
      for (const wrongByMs of [0, 90_000, -90_000]) {
        t.mock.method(Date, 'now', () => real() + wrongByMs)
        const clock = await DatabaseClock.start(database)
        t.after(() => clock.stop())
        assert.ok(Math.abs(clock.aheadMs + wrongByMs) < 2_000, String(clock.aheadMs))
        clocks.push(clock.now())
      }
      t.mock.restoreAll()
      assert.ok(Math.max(...clocks) - Math.min(...clocks) < 5_000, String(clocks))
    })
  })
}
