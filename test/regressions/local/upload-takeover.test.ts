import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openLocalDrive } from '../../../src/drives/local/local-drive.ts'
import { Uploads } from '../../../src/s3/multipart/uploads.ts'
import { openDatabase } from '../../../src/state/open-database.ts'
import { DatabaseFileRecords } from '../../../src/state/stores/file-records.ts'
import { UploadTable } from '../../../src/state/stores/uploads.ts'
import { begin, listOf, never, partOf, TestClock, textOf } from '../../unit/s3/write-fixture.ts'

const program = fileURLToPath(new URL('../../support/upload-process.ts', import.meta.url))

async function scene(t: TestContext) {
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
  const clock = new TestClock()
  const options = { drive, table, partWaitMs: 10_000, expiryMs: 86_400_000, now: clock.now, log }
  const uploads = new Uploads(options)
  t.after(async () => {
    await uploads.idle()
    await drive.close()
    await records.close()
    await database.close()
    rmSync(folder, { recursive: true })
  })
  const name = await begin(uploads)
  /** Another process, which has written half of the part. */
  const startPart = async (number: number) => {
    const child = spawn(process.execPath, [program, root, path, name.uploadId, String(number)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    t.after(() => child.kill('SIGKILL'))
    const exit = once(child, 'exit')
    const [said] = await once(child.stdout, 'data')
    assert.equal(String(said), 'half\n')
    return { child, exit }
  }
  return { drive, uploads, clock, name, startPart, uploadFolder: join(root, '.bucketry/uploads') }
}

test('UploadPart continues immediately when the process that wrote the part is killed', async (t) => {
  const { drive, uploads, name, startPart } = await scene(t)
  await uploads.writePart(name, 1, partOf('one,'))
  for (const round of [1, 2]) {
    const { child, exit } = await startPart(2)
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

/** As long as what the suspended process writes. */
const long = 'two,'.repeat(150_000)

/** Each lets the suspended process continue at another moment. */
const moments = ['before the next part', 'before Complete', 'after Complete'] as const

for (const moment of moments) {
  test(`a process that continues ${moment} of another one does not change its bytes`, async (t) => {
    const { drive, uploads, clock, name, startPart, uploadFolder } = await scene(t)
    await uploads.writePart(name, 1, partOf('one,'))
    const { child, exit } = await startPart(2)
    const resume = async () => {
      const answer = once(child.stdout, 'data')
      // Its own clock says that it still has the lease, as if its write had been on the way to the disk.
      child.stdin.write('go on')
      const code = moment === 'after Complete' ? 'NoSuchUpload' : 'SlowDown'
      assert.equal(String(await answer), `${code}\n`)
      await exit
    }
    clock.advance(21_000)
    const taken = uploads.writePart(name, 2, partOf(long))
    await taken
    if (moment === 'before the next part') await resume()
    await uploads.writePart(name, 3, partOf('three'))
    if (moment === 'before Complete') await resume()
    await uploads.complete(name, listOf(['one,', long, 'three']), never)
    if (moment === 'after Complete') await resume()
    assert.equal((await textOf(drive)) === `one,${long}three`, true)
    const left = readdirSync(uploadFolder, { recursive: true, encoding: 'utf8' })
    assert.deepEqual(
      left.filter((path) => /data|former/.test(path)),
      [],
    )
  })
}

test('an upload that a suspended process has is completed by another one', async (t) => {
  const { drive, uploads, clock, name, startPart } = await scene(t)
  await uploads.writePart(name, 1, partOf('one'))
  const { child, exit } = await startPart(2)
  clock.advance(21_000)
  await uploads.complete(name, listOf(['one']), never)
  child.stdin.write('go on')
  await exit
  assert.equal(await textOf(drive), 'one')
})
