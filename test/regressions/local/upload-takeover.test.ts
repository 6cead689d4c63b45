import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openLocalDrive } from '../../../src/drives/local/local-drive.ts'
import { Uploads } from '../../../src/s3/multipart/uploads.ts'
import { openDatabase } from '../../../src/state/open-database.ts'
import { DatabaseFileRecords } from '../../../src/state/stores/file-records.ts'
import { UploadTable } from '../../../src/state/stores/uploads.ts'
import { begin, listOf, never, partOf, textOf } from '../../unit/s3/write-fixture.ts'

const program = fileURLToPath(new URL('../../support/upload-process.ts', import.meta.url))

test('UploadPart continues immediately when the process that wrote the part is killed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-takeover-'))
  const path = join(folder, 'state.db')
  const root = join(folder, 'drive')
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  const records = new DatabaseFileRecords(database)
  const ignore = () => undefined
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
  const drive = await openLocalDrive({ root, records, log })
  await drive.prepare(['b'])
  const table = new UploadTable(database)
  const options = { drive, table, partWaitMs: 10_000, expiryMs: 86_400_000, now: Date.now, log }
  const uploads = new Uploads(options)
  t.after(async () => {
    await uploads.idle()
    await drive.close()
    await records.close()
    await database.close()
    rmSync(folder, { recursive: true })
  })

  const name = await begin(uploads)
  await uploads.writePart(name, 1, partOf('one,'))
  for (const round of [1, 2]) {
    const child = spawn(process.execPath, [program, root, path, name.uploadId, '2'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exit = once(child, 'exit')
    const [said] = await once(child.stdout, 'data')
    assert.equal(String(said), 'half\n')
    const third = round === 2 ? uploads.writePart(name, 3, partOf('three')) : undefined
    child.kill('SIGKILL')
    await exit
    if (third === undefined) continue
    const startedAt = performance.now()
    await uploads.writePart(name, 2, partOf('two,'))
    await third
    assert.ok(performance.now() - startedAt < 5_000, 'the lease of the dead is not waited out')
  }
  await uploads.complete(name, listOf(['one,', 'two,', 'three']), never)
  assert.equal(await textOf(drive), 'one,two,three')
})
