import assert from 'node:assert/strict'
import fs from 'node:fs'
import { type TestContext, test } from 'node:test'
import type { Tags } from '../../../../../../src/storage/drives/attributes.ts'
import type { Drive } from '../../../../../../src/storage/drives/drive.ts'
import { FolderIndexes } from '../../../../../../src/storage/drives/local/folders/folder-indexes.ts'
import { FolderJournal } from '../../../../../../src/storage/drives/local/folders/folder-journal.ts'
import { FolderSync } from '../../../../../../src/storage/drives/local/folders/folder-sync.ts'
import { openLocalRoot } from '../../../../../../src/storage/drives/local/local-root.ts'
import { localPathOf } from '../../../../../../src/storage/drives/local/object-path.ts'
import { AttributeCache } from '../../../../../../src/storage/drives/local/objects/attribute-cache.ts'
import { FolderLocks } from '../../../../../../src/storage/drives/local/objects/folder-locks.ts'
import { PacedFiles } from '../../../../../../src/storage/drives/local/objects/paced-files.ts'
import { setAttributes } from '../../../../../../src/storage/drives/local/objects/set-attributes.ts'
import { SmallWrites } from '../../../../../../src/storage/drives/local/small-writes/small-writes.ts'
import { rejectsAs } from '../../../../../contract/drive/stored-object.ts'
import { MemoryRecords } from '../memory-records.ts'
import { attributesOf, bucket, get, log, openDrive, put } from '../open-drive.ts'

/** Does something after a record was saved, and before the file gets its new time. */
class InterruptedRecords extends MemoryRecords {
  afterSave: () => void = () => undefined

  override async save(...given: Parameters<MemoryRecords['save']>): Promise<void> {
    await super.save(...given)
    this.afterSave()
  }
}

async function open(t: TestContext) {
  const records = new InterruptedRecords()
  const { drive, folder, root } = await openDrive(t, undefined, records)
  await put(drive, 'k', 'text')
  return { drive, records, root, path: `${folder}/k` }
}

async function tag(drive: Drive, tags: Tags) {
  assert.ok(drive.setAttributes)
  return await drive.setAttributes(bucket, 'k', { tags })
}

async function assertUntagged(drive: Drive, text = 'text') {
  assert.deepEqual((await drive.head(bucket, 'k'))?.attributes, attributesOf(text))
  assert.equal((await get(drive, 'k'))?.text, text)
}

test('tags that cannot be stored change nothing', async (t) => {
  const { drive, records, path } = await open(t)
  const before = fs.statSync(path)
  records.failure = new Error('the disk of the database is full')
  await rejectsAs(tag(drive, { a: '1' }), 'unavailable')
  await assertUntagged(drive)
  assert.equal(fs.statSync(path).mtimeMs, before.mtimeMs)
})

test('an identity does not come back with the next changes', async (t) => {
  const { drive, path } = await open(t)
  let last = fs.statSync(path).mtimeMs
  for (let round = 0; round < 150; round++) {
    await tag(drive, { round: String(round) })
    const { mtimeMs } = fs.statSync(path)
    assert.ok(mtimeMs > last, `${round}: ${mtimeMs} after ${last}`)
    assert.equal(Math.floor(mtimeMs), Math.floor(last))
    last = mtimeMs
  }
})

test('a process that is killed before the file has its new time leaves the tags as they were', async (t) => {
  const { drive, records, root, path } = await open(t)
  await tag(drive, { a: '1' })
  records.afterSave = () => {
    throw new Error('killed')
  }
  await assert.rejects(tag(drive, { a: '2' }))
  records.afterSave = () => undefined
  // A process that starts later has nothing in memory.
  const { drive: later } = await openDrive(t, root, records)
  assert.deepEqual((await later.head(bucket, 'k'))?.attributes.tags, { a: '1' })
  assert.equal((await get(later, 'k'))?.text, 'text')
  assert.ok(fs.existsSync(path))
})

test('a file that is edited by hand meanwhile keeps its time, and gets no tags', async (t) => {
  const { drive, records, path } = await open(t)
  records.afterSave = () => {
    records.afterSave = () => undefined
    fs.writeFileSync(path, 'hand')
    // The clock of a file system may stand still for 10 ms.
    fs.utimesSync(path, 1_700_000_000, 1_700_000_000)
  }
  await rejectsAs(tag(drive, { a: '1' }), 'changed')
  const metadata = await drive.head(bucket, 'k')
  assert.match(metadata?.attributes.etag ?? '', /-1$/)
  assert.equal(metadata?.attributes.tags, undefined)
})

test('a version that is removed or replaced meanwhile takes its tags along', async (t) => {
  const { drive, records, path } = await open(t)
  records.afterSave = () => {
    records.afterSave = () => undefined
    fs.unlinkSync(path)
  }
  const tagged = await tag(drive, { a: '1' })
  assert.equal(tagged?.attributes.etag, attributesOf('text').etag)
  assert.equal(await drive.head(bucket, 'k'), undefined)
  const [last] = [...records.records.values()].filter(({ json }) => json.includes('tags'))
  assert.ok(records.forgotten.includes(last?.identity ?? ''))
  await put(drive, 'k', 'other')
  await assertUntagged(drive, 'other')
})

test('the time stays within its millisecond, also at its ends', async (t) => {
  const { drive, path } = await open(t)
  for (const time of [
    1_700_000_000, 1_700_000_000.5, 1_700_000_000.99999, 1_700_000_000.999999, -5,
  ]) {
    fs.utimesSync(path, time, time)
    const wholeMs = Math.floor(fs.statSync(path).mtimeMs)
    for (let round = 0; round < 20; round++) {
      await tag(drive, { round: String(round) })
      assert.equal(Math.floor(fs.statSync(path).mtimeMs), wholeMs, `${time}`)
      assert.deepEqual((await drive.head(bucket, 'k'))?.attributes.tags, { round: String(round) })
    }
  }
})

test('a read goes on while tags change, and ends if the bytes do', async (t) => {
  const { drive, path } = await open(t)
  for (const fraction of [0.5, 0.9999]) {
    fs.writeFileSync(path, 'x'.repeat(600_000))
    fs.utimesSync(path, 1_700_000_000, 1_700_000_000 + fraction)
    const object = await drive.open(bucket, 'k')
    assert.ok(object)
    const chunks = object.read(0, object.size)[Symbol.asyncIterator]()
    await chunks.next()
    for (const round of ['1', '2', '3']) await tag(drive, { round })
    const { value } = await chunks.next()
    assert.ok(value)
    // By a program that restores the time, without its fractions.
    fs.writeFileSync(path, 'y'.repeat(600_000))
    fs.utimesSync(path, 1_700_000_000, 1_700_000_000)
    await rejectsAs(chunks.next(), 'changed')
    await object.close()
  }
})

test('records of former tags are forgotten', async (t) => {
  const { drive, records } = await open(t)
  for (let round = 0; round < 5; round++) await tag(drive, { round: String(round) })
  assert.equal(records.records.size - new Set(records.forgotten).size, 1)
})

/** As FAT, HFS+ and some network file systems. */
class WholeSeconds extends PacedFiles {
  override setModified(fd: number, timeMs: number) {
    return super.setModified(fd, Math.floor(timeMs / 1000) * 1000)
  }
}

test('a file system with whole seconds cannot do it, and says so', async (t) => {
  const { drive, records, root: path } = await open(t)
  const root = { ...(await openLocalRoot(path)), files: new WholeSeconds(false) }
  const parts = {
    versioningOf: () => undefined,
    ...{ root, locks: new FolderLocks(root), attributeCache: new AttributeCache(records, log) },
    ...{
      indexes: new FolderIndexes(root),
      journal: new FolderJournal(root),
      sync: new FolderSync(root),
    },
    writes: new SmallWrites(root),
    relaxed: undefined,
  }
  await rejectsAs(
    setAttributes(parts, localPathOf(bucket, 'k'), { tags: { a: '1' } }),
    'unsupported',
  )
  await assertUntagged(drive)
  for (const one of [parts.indexes, parts.journal, parts.writes]) await one.close()
})
