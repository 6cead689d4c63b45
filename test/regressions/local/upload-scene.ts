import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../../../src/platform/state/open-database.ts'
import { openLocalDrive } from '../../../src/storage/drives/local/local-drive.ts'
import { DatabaseFileRecords } from '../../../src/storage/drives/local/objects/file-record-table.ts'
import { UploadTable } from '../../../src/storage/s3/multipart/upload-table.ts'
import { Uploads } from '../../../src/storage/s3/multipart/uploads.ts'
import { begin, TestClock } from '../../unit/storage/s3/write-fixture.ts'

const program = fileURLToPath(new URL('../../support/upload-process.ts', import.meta.url))

/** A local drive with one upload, to which other processes send parts, too. */
export async function openUploadScene(t: TestContext, partOrder: 'sequence' | 'any') {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-upload-'))
  const path = join(folder, 'state.db')
  const root = join(folder, 'drive')
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  const records = new DatabaseFileRecords(database)
  const ignore = () => undefined
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
  const drive = await openLocalDrive({ root, records, log })
  await drive.prepare(['b'])
  const table = new UploadTable(database)
  const clock = new TestClock()
  const times = { partWaitMs: 10_000, expiryMs: 86_400_000, now: clock.now }
  const uploads = new Uploads({ drive, table, log, ...times, partOrder })
  t.after(async () => {
    await uploads.idle()
    await drive.close()
    await records.close()
    await database.close()
    rmSync(folder, { recursive: true })
  })
  const name = await begin(uploads)
  /** Another process, which has claimed the part and written half of it. With any order, it knows the size. */
  const startPart = async (number: number) => {
    const given = [program, root, path, name.uploadId, `${number}`]
    if (partOrder === 'any') given.push('sized')
    const child = spawn(process.execPath, given, { stdio: ['pipe', 'pipe', 'inherit'] })
    t.after(() => child.kill('SIGKILL'))
    // On a slow machine, it may notice by itself that its lease is lost, and end before it is told to go on.
    child.stdin.on('error', () => undefined)
    const said: string[] = []
    child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text))
    const exit = once(child, 'close')
    await Promise.race([once(child.stdout, 'data'), exit])
    assert.equal(said.join(''), 'half\n')
    /** Lets it go on. Resolves with its answer. */
    const goOn = async (): Promise<string> => {
      child.stdin.write('go on')
      await exit
      return said.join('').replace('half\n', '').trimEnd()
    }
    return { child, exit, goOn }
  }
  return { root, drive, uploads, clock, name, startPart }
}
