import { after, describe } from 'node:test'
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
}
