import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { startPostgres } from '../support/start-postgres.ts'
import { describeDriveIndex } from './drive-index-contract.ts'
import { describeDriveIndexCrawl } from './drive-index-crawl-contract.ts'
import { describeDriveUploads } from './drive-uploads-contract.ts'

const folder = await mkdtemp(join(tmpdir(), 'bucketry-index-'))
after(() => rm(folder, { recursive: true }))

const sqlite = async () => ({ kind: 'sqlite', path: join(folder, 'bucketry.db') }) as const
describeDriveIndex('SQLite', sqlite)
describeDriveIndexCrawl('SQLite', sqlite)
describeDriveUploads('SQLite', sqlite)

const server = await startPostgres()
if (server === undefined) {
  const skip = 'needs POSTGRES_URL or the Debian package postgresql'
  describe('PostgreSQL drive index', { skip })
} else {
  after(() => server.stop())
  const postgres = async () => ({ kind: 'postgres', url: await server.createDatabase() }) as const
  describeDriveIndex('PostgreSQL', postgres)
  describeDriveIndexCrawl('PostgreSQL', postgres)
  describeDriveUploads('PostgreSQL', postgres)
}
