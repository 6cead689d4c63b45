import assert from 'node:assert/strict'
import fs from 'node:fs'
import { test } from 'node:test'
import type { FileRecord } from '../../../../../../src/storage/drives/local/objects/file-record-table.ts'
import { MemoryRecords } from '../memory-records.ts'
import { bucket, get, put } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'
import { fileSystems, notesOn, openRelaxed } from './torn-drive.ts'

const skip = process.platform !== 'linux'

class SeenRecords extends MemoryRecords {
  readonly relaxed: (boolean | undefined)[] = []

  override async save(
    record: FileRecord,
    folders: readonly string[],
    options: { readonly isRelaxed?: boolean } = {},
  ): Promise<void> {
    this.relaxed.push(options.isRelaxed)
    await super.save(record, folders)
  }
}

test('in memory, a relaxed write only saves its record without a sync', { skip }, async (t) => {
  const root = tempFolder(t)
  const records = new SeenRecords()
  const drive = await openRelaxed(t, root, records, fileSystems.tmpfs)
  const link = t.mock.method(fs.promises, 'link')
  const fsync = t.mock.method(fs, 'fsync')
  await put(drive, 'k', 'first')
  await put(drive, 'k', 'second')
  assert.equal((await get(drive, 'k'))?.text, 'second')
  assert.deepEqual(records.relaxed, [true, true])
  assert.equal(records.forgotten.length, 1)
  await drive.remove(bucket, 'k')
  assert.equal(records.forgotten.length, 2)
  assert.deepEqual(notesOn(root), [])
  assert.equal(link.mock.callCount() + fsync.mock.callCount(), 0)
})
