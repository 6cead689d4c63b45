import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import { basename, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { Drive, ObjectName } from '../../../../../../src/storage/drives/drive.ts'
import { MemoryRecords } from '../memory-records.ts'
import { attributesOf, bucket, get, listKeys, put } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'
import { endProcess, notesOn, openRelaxed, renameBoot, tear, tears } from './torn-drive.ts'

async function scene(t: TestContext) {
  const root = tempFolder(t)
  const records = new MemoryRecords()
  const drive = await openRelaxed(t, root, records)
  const at = (key: string) => join(root, bucket, key)
  return { root, records, drive, at, restart: () => openRelaxed(t, root, records) }
}

/** Resolves when everything is on the disk. */
const synced = (drive: Awaited<ReturnType<typeof openRelaxed>>) =>
  drive.setVersioning?.(bucket, { changes: [1] })

/** Writes an object whose ETag is not the MD5 of its bytes, as that of a multipart upload. */
async function putSynced(drive: Drive, key: string, bytes: string): Promise<void> {
  const draft = await drive.draft(bucket, key, { size: bytes.length })
  await draft.write(Buffer.from(bytes))
  await draft.publish({ etag: `${'0'.repeat(32)}-1`, headers: {}, metadata: {} })
}

/** The path of this inode among the replaced files. */
function replacedFile(root: string, ino: number): string {
  const paths = notesOn(root).flatMap((note) =>
    fs.readdirSync(note, { recursive: true }).map((name) => join(note, `${name}`)),
  )
  return paths.find((path) => fs.statSync(path).ino === ino) ?? ''
}

const damagedOn = (root: string) => fs.readdirSync(join(root, '.bucketry', 'damaged'))

describe('a restart after a power failure', () => {
  for (const kind of Object.keys(tears)) {
    it(`removes a new object that is torn (${kind})`, async (t) => {
      const { root, drive, at, restart } = await scene(t)
      await put(drive, 'a/whole', 'all bytes')
      await put(drive, 'a/torn', 'other bytes')
      tear(at('a/torn'), kind)
      renameBoot(root)
      const after = await restart()
      assert.equal(await get(after, 'a/torn'), undefined)
      assert.equal((await get(after, 'a/whole'))?.text, 'all bytes')
      assert.deepEqual(await listKeys(after), ['a/whole'])
      assert.equal(damagedOn(root).length, 1)
      await after.close()
      assert.deepEqual(notesOn(root), [])
    })

    it(`restores the object that a torn one replaced (${kind})`, async (t) => {
      const { root, drive, at, restart } = await scene(t)
      await put(drive, 'k', 'durable')
      await synced(drive)
      await put(drive, 'k', 'second')
      const { ino } = fs.statSync(at('k'))
      await put(drive, 'k', 'the third')
      tear(at('k'), kind)
      tear(replacedFile(root, ino), kind)
      renameBoot(root)
      const after = await restart()
      assert.equal((await get(after, 'k'))?.text, 'durable')
      await after.close()
      assert.equal(fs.statSync(at('k')).nlink, 1)
    })
  }

  it('keeps the newest of the replaced objects that is whole', async (t) => {
    const { root, drive, at, restart } = await scene(t)
    await put(drive, 'k', 'first')
    await put(drive, 'k', 'second')
    tear(at('k'), 'empty')
    renameBoot(root)
    assert.equal((await get(await restart(), 'k'))?.text, 'first')
  })

  it('restores a synced object that was written between two relaxed writes', async (t) => {
    const { root, drive, at, restart } = await scene(t)
    await put(drive, 'k', 'first')
    await synced(drive)
    await put(drive, 'k', 'second')
    await putSynced(drive, 'k', 'the third')
    await put(drive, 'k', 'fourth')
    tear(at('k'), 'zeros')
    renameBoot(root)
    assert.equal((await get(await restart(), 'k'))?.text, 'the third')
  })

  it('restores the object that a torn one replaced before its folder was moved', async (t) => {
    const { root, drive, at, restart } = await scene(t)
    await put(drive, 'd/k', 'durable')
    await synced(drive)
    await put(drive, 'd/k', 'second')
    const [from, to] = ['d/', 'e/'].map((key) => ({ bucket, key })) as [ObjectName, ObjectName]
    const free = { beforeMove: async () => undefined, assertMayGoOn: () => undefined }
    assert.equal(await drive.moveFolder?.(from, to, free), 1)
    tear(at('e/k'), 'empty')
    renameBoot(root)
    assert.equal((await get(await restart(), 'e/k'))?.text, 'durable')
  })

  it('restores the object that a torn one replaced at another path', async (t) => {
    const { root, drive, at, restart } = await scene(t)
    await put(drive, 'k/inside', 'makes a folder of this path')
    await put(drive, 'k', 'durable')
    await synced(drive)
    // By hand. The file stays at the path beside the folder.
    fs.rmSync(at('k'), { recursive: true })
    await put(drive, 'k', 'second')
    tear(at('k'), 'empty')
    renameBoot(root)
    const after = await restart()
    assert.equal((await get(after, 'k'))?.text, 'durable')
    assert.deepEqual(await listKeys(after), ['k'])
  })

  it('removes an object whose record is lost, and no older file without a record', async (t) => {
    const { root, records, drive, at, restart } = await scene(t)
    fs.writeFileSync(at('by hand'), 'x')
    fs.utimesSync(at('by hand'), 1_000_000, 1_000_000)
    await put(drive, 'k', 'bytes')
    records.records.clear()
    renameBoot(root)
    const after = await restart()
    assert.deepEqual(await listKeys(after), ['by hand'])
    assert.equal(damagedOn(root).length, 1)
  })

  it('keeps what was added after the system started', async (t) => {
    const { root, drive, at, restart } = await scene(t)
    await put(drive, 'k', 'bytes')
    // The note is older than the start of this system, the file is not.
    const [note = ''] = notesOn(root)
    fs.utimesSync(join(note, 'since'), 1000, 1000)
    fs.writeFileSync(at('by hand'), 'x')
    renameBoot(root)
    assert.deepEqual(await listKeys(await restart()), ['by hand', 'k'])
  })

  it('keeps what was added long after it, even if the system was started again since', async (t) => {
    const { root, drive, at, restart } = await scene(t)
    await put(drive, 'k', 'bytes')
    renameBoot(root)
    fs.writeFileSync(at('by hand'), 'x')
    const addedMs = Date.now() + 3_600_000
    fs.utimesSync(at('by hand'), addedMs / 1000, addedMs / 1000)
    // The system starts another hour later.
    t.mock.timers.enable({ apis: ['Date'], now: addedMs + 3_600_000 + os.uptime() * 1000 })
    assert.deepEqual(await listKeys(await restart()), ['by hand', 'k'])
  })

  it('finds what is torn although the clock was set back while the service ran', async (t) => {
    const { root, drive, at, restart } = await scene(t)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 86_400_000 })
    await put(drive, 'k', 'bytes')
    t.mock.timers.reset()
    tear(at('k'), 'empty')
    renameBoot(root)
    assert.equal(await get(await restart(), 'k'), undefined)
  })

  it('leaves a copy of the drive alone, whose files have other inodes', async (t) => {
    const { root, records, drive } = await scene(t)
    await put(drive, 'a', 'bytes')
    const copy = join(tempFolder(t), 'copy')
    // While the service runs, as in docs/backup.md. The note may be copied long before the objects.
    execFileSync('cp', ['--archive', root, copy])
    fs.utimesSync(join(notesOn(copy)[0] ?? '', 'since'), 1000, 1000)
    fs.writeFileSync(join(copy, bucket, 'b'), 'later')
    fs.utimesSync(join(copy, bucket, 'b'), 2000, 2000)
    renameBoot(copy)
    const restored = await openRelaxed(t, copy, records)
    assert.deepEqual(await listKeys(restored), ['a', 'b'])
    assert.equal((await get(restored, 'a'))?.etag, attributesOf('bytes').etag)
    await restored.close()
    assert.deepEqual(notesOn(copy), [])
  })

  it('lets two processes start at once', async (t) => {
    const { root, drive, at, restart } = await scene(t)
    await put(drive, 'k', 'durable')
    await synced(drive)
    await put(drive, 'k', 'second')
    tear(at('k'), 'empty')
    renameBoot(root)
    const [note = ''] = notesOn(root)
    const { readdir } = fs.promises
    let other: Promise<Drive> | undefined
    t.mock.method(fs.promises, 'readdir', async (path: string, ...rest: []) => {
      // One has found the note. The other one ends before it opens it.
      if (other === undefined && basename(path) === basename(note)) {
        other = restart()
        await (await other).close()
      }
      return await readdir(path, ...rest)
    })
    const after = await restart()
    assert.notEqual(other, undefined)
    assert.equal((await get(after, 'k'))?.text, 'durable')
  })

  it('leaves everything as it is if only the process was killed', async (t) => {
    const { root, drive, at, restart } = await scene(t)
    await put(drive, 'k', 'bytes')
    tear(at('k'), 'zeros')
    endProcess(root)
    const after = await restart()
    assert.equal((await get(after, 'k'))?.text.length, 5)
    await after.close()
    assert.deepEqual(notesOn(root), [])
    assert.equal(fs.existsSync(join(root, '.bucketry', 'damaged')), false)
  })

  it('looks at nothing after a complete round, or a clean end', async (t) => {
    const { root, records, drive } = await scene(t)
    await put(drive, 'k', 'bytes')
    await synced(drive)
    const [note = ''] = notesOn(root)
    assert.equal(fs.statSync(join(note, 'since')).mtimeMs, 0)
    await put(drive, 'k', 'other')
    await drive.close()
    assert.deepEqual(notesOn(root), [])
    assert.equal(records.records.size > 0, true)
  })
})
