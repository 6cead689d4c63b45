/**
 * A process that serves one upload, for tests that kill it: it takes the part number of its argument
 * and, once half of the part is written, says so and stands still.
 *
 *     node upload-process.ts DRIVE_FOLDER DATABASE_FILE UPLOAD_ID PART_NUMBER
 */
import { openLocalDrive } from '../../src/drives/local/local-drive.ts'
import { Uploads } from '../../src/s3/multipart/uploads.ts'
import { openDatabase } from '../../src/state/open-database.ts'
import { DatabaseFileRecords } from '../../src/state/stores/file-records.ts'
import { UploadTable } from '../../src/state/stores/uploads.ts'

const [root = '', path = '', uploadId = '', partNumber = ''] = process.argv.slice(2)
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
const database = await openDatabase({ kind: 'sqlite', path }, { migrate: false })
const records = new DatabaseFileRecords(database)
const drive = await openLocalDrive({ root, records, log })
await drive.prepare(['b'])
const uploads = new Uploads({
  drive,
  table: new UploadTable(database),
  partWaitMs: 20_000,
  expiryMs: 86_400_000,
  now: Date.now,
  log,
})
await uploads.writePart({ bucket: 'b', key: 'k', uploadId }, Number(partNumber), {
  signal: new AbortController().signal,
  pour: async (sink) => {
    await sink.write(Buffer.alloc(300_000, 'torn'))
    console.log('half')
    await new Promise((resolve) => setTimeout(resolve, 60_000))
    throw new Error('should have been killed')
  },
})

function ignore(): void {
  // What this process would log is not looked at.
}
