/** A process on another host that is suspended while it holds the lock of a key, and continues much later. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openLocalDrive } from '../../src/drives/local/local-drive.ts'
import { setEndedGateways } from '../../src/process/ended-processes.ts'
import { openDatabase } from '../../src/state/open-database.ts'
import { DatabaseFileRecords } from '../../src/state/stores/file-records.ts'
import { attributesOf, bucket, get, log, put } from '../unit/drives/local/open-drive.ts'
import { tempFolder } from '../unit/drives/local/temp-folder.ts'

const script = join(import.meta.dirname, '../unit/drives/local/stalling-process.ts')
const skip =
  process.getuid?.() === 0 && process.platform === 'linux'
    ? false
    : 'only root may create a PID namespace (Linux)'

async function scene(t: TestContext) {
  const folder = tempFolder(t)
  const path = join(folder, 'records.db')
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  const records = new DatabaseFileRecords(database)
  const drive = await openLocalDrive({ root: join(folder, 'drive'), records, log })
  await drive.prepare([bucket])
  t.after(async () => {
    setEndedGateways([], [])
    await drive.close()
    await records.close()
    await database.close()
  })
  await put(drive, 'k', 'first')
  const { etag } = attributesOf('first')
  /** Resolves when it is suspended, and counts as ended. */
  const suspend = async (task: string) => {
    const own = ['--pid', '--fork', '--mount-proc', '--kill-child', process.execPath]
    const child = spawn('unshare', [...own, script, folder, task, etag], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    t.after(() => child.kill('SIGKILL'))
    const [name] = await once(child.stdout, 'data')
    setEndedGateways([{ process: String(name).trim(), untilTicks: Number.MAX_SAFE_INTEGER }], [])
    return async () => {
      const said = once(child.stdout, 'data')
      child.stdin.write('x')
      return String((await said)[0]).trim()
    }
  }
  const locks = () => fs.readdirSync(join(folder, 'drive/.bucketry/locks'))
  return { drive, etag, suspend, locks }
}

test('A conditional write that was overtaken replaces nothing', { skip }, async (t) => {
  const { drive, etag, suspend, locks } = await scene(t)
  const resume = await suspend('replace')
  await put(drive, 'k', 'second', { ifMatch: [etag] })
  assert.equal(await resume(), 'unavailable')
  assert.equal((await get(drive, 'k'))?.text, 'second')
  assert.deepEqual(locks(), [])
})

test('A conditional removal that was overtaken removes nothing', { skip }, async (t) => {
  const { drive, etag, suspend, locks } = await scene(t)
  const resume = await suspend('remove')
  await put(drive, 'k', 'second', { ifMatch: [etag] })
  assert.equal(await resume(), 'busy')
  assert.equal((await get(drive, 'k'))?.text, 'second')
  assert.deepEqual(locks(), [])
})

test('A process that continues does not remove the lock of another one', { skip }, async (t) => {
  const { drive, suspend, locks } = await scene(t)
  const resume = await suspend('put')
  const other = await suspend('put')
  assert.equal(locks().length, 1)
  assert.equal(await resume(), 'unavailable')
  assert.equal(locks().length, 1)
  assert.equal(await other(), 'done')
  assert.equal((await get(drive, 'k'))?.text, 'late')
  assert.deepEqual(locks(), [])
})
