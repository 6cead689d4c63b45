import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
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

let folder: string
let count = 0

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bucketry-sqlite-'))
})
after(() => rm(folder, { recursive: true }))

async function createLocation() {
  count += 1
  return { kind: 'sqlite', path: join(folder, `folder-${count}`, 'bucketry.db') } as const
}

describeBackup('SQLite', createLocation, createLocation)
describeConsoleTables('SQLite', createLocation)
describeBucketTables('SQLite', createLocation)
describeDatabase('SQLite', createLocation)
describeFileRecords('SQLite', createLocation)
describeEventTable('SQLite', createLocation)
describeJobTable('SQLite', createLocation)
describePlacedParts('SQLite', createLocation)
describeModelTables('SQLite', createLocation)
describeShareTable('SQLite', createLocation)
describeRoutingTables('SQLite', createLocation)
describeTwoDrives('SQLite', createLocation)
describeUploadTable('SQLite', createLocation)
