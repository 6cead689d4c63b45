/**
 * A process that serves one upload, for tests that kill or stop it: it takes the part number of its argument
 * and, once half of the part is written, says so and waits for input. Then it writes the other half and says
 * how it ended.
 *
 *     node upload-process.ts DRIVE_FOLDER DATABASE_FILE UPLOAD_ID PART_NUMBER [sized]
 *
 * `sized`: the size of the part is known before its bytes.
 */
import { once } from 'node:events'
import { openDatabase } from '../../src/platform/state/open-database.ts'
import { openLocalDrive } from '../../src/storage/drives/local/local-drive.ts'
import { DatabaseFileRecords } from '../../src/storage/drives/local/objects/file-record-table.ts'
import { UploadTable } from '../../src/storage/s3/multipart/upload-table.ts'
import { Uploads } from '../../src/storage/s3/multipart/uploads.ts'

const [root = '', path = '', uploadId = '', partNumber = '', sized] = process.argv.slice(2)
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
const half = Buffer.alloc(300_000, 'torn')
const part = {
  size: sized === undefined ? undefined : 2 * half.length,
  signal: new AbortController().signal,
  async pour(sink: { write(chunk: Uint8Array): Promise<void> }) {
    await sink.write(half)
    console.log('half')
    await once(process.stdin, 'data')
    await sink.write(half)
    return { md5Hex: '0'.repeat(32), size: 2 * half.length }
  },
}
try {
  await uploads.writePart({ bucket: 'b', key: 'k', uploadId }, Number(partNumber), part)
  console.log('acknowledged')
} catch (error) {
  console.log((error as { code?: string }).code ?? String(error))
}
process.exit()

function ignore(): void {
  // What this process would log is not looked at.
}
