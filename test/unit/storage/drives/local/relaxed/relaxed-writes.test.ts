import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openLocalRoot } from '../../../../../../src/storage/drives/local/local-root.ts'
import { AttributeCache } from '../../../../../../src/storage/drives/local/objects/attribute-cache.ts'
import { RelaxedWrites } from '../../../../../../src/storage/drives/local/relaxed/relaxed-writes.ts'
import { endNotes } from '../../../../../../src/storage/drives/local/relaxed/restore-torn.ts'
import { readNotes } from '../../../../../../src/storage/drives/local/relaxed/unsynced-note.ts'
import { MemoryRecords } from '../memory-records.ts'
import { tempFolder } from '../temp-folder.ts'
import { notesOn } from './torn-drive.ts'

const etag = 'd41d8cd98f00b204e9800998ecf8427e'

/** Fails while `failure` is set. */
class FlushedRecords extends MemoryRecords {
  flushes = 0

  override async flush(): Promise<void> {
    if (this.failure !== undefined) throw this.failure
    this.flushes += 1
    await super.flush()
  }
}

async function open(t: TestContext) {
  const path = tempFolder(t)
  const root = await openLocalRoot(path)
  const records = new FlushedRecords()
  const warnings: string[] = []
  const log = { warn: (_: object, message: string) => void warnings.push(message) }
  const attributeCache = new AttributeCache(records, log)
  const relaxed = new RelaxedWrites({ root, attributeCache, log, versioningOf: () => undefined })
  t.after(async () => {
    await relaxed.close()
    await root.folders.close()
  })
  const sinceMs = () => fs.statSync(join(notesOn(path)[0] ?? '', 'since')).mtimeMs
  return { relaxed, records, warnings, sinceMs, path, root, attributeCache }
}

test('the note says when the oldest write began that a round may have missed', async (t) => {
  const { relaxed, sinceMs } = await open(t)
  const { promise: ending, resolve: end } = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<number>()
  const long = relaxed.run(1, async () => {
    begun.resolve(sinceMs())
    await ending
  })
  const first = await begun.promise
  await relaxed.run(1, async () => undefined)
  await relaxed.sync()
  assert.equal(sinceMs(), first)
  end()
  await long
  // The round before may have missed it.
  await relaxed.sync()
  assert.equal(sinceMs(), 0)
})

test('a round keeps the links of writes that have not ended', async (t) => {
  const { relaxed, path } = await open(t)
  const replaced = join(path, 'replaced')
  fs.writeFileSync(replaced, 'former')
  const { promise: ending, resolve: end } = Promise.withResolvers<void>()
  const linked = Promise.withResolvers<string>()
  const long = relaxed.run(1, async (write) => {
    await write?.keep(replaced, '1:0:1000:4', replaced)
    linked.resolve(write?.linkOf('1:0:1000:4') ?? '')
    await ending
  })
  const link = await linked.promise
  await relaxed.sync()
  assert.equal(fs.readFileSync(link, 'utf8'), 'former')
  end()
  await long
  await relaxed.sync()
  assert.equal(fs.existsSync(link), false)
})

test('a round removes the links of many writes', async (t) => {
  const { relaxed, path } = await open(t)
  const replaced = join(path, 'replaced')
  fs.writeFileSync(replaced, 'former')
  const write = async (index: number) => {
    const identity = `${index}:0:1000:4`
    return await relaxed.run(1, async (one) => {
      await one?.keep(replaced, identity, replaced)
      return one?.linkOf(identity) ?? ''
    })
  }
  const links = await Promise.all(Array.from({ length: 100 }, (_, index) => write(index)))
  assert.ok(links.every((link) => fs.existsSync(link)))
  await relaxed.sync()
  assert.deepEqual(fs.readdirSync(notesOn(path)[0] ?? ''), ['since'])
})

test('a record is forgotten after the round, not before', async (t) => {
  const { relaxed, records } = await open(t)
  await relaxed.run(1, async (write) => write?.forget('gone'))
  assert.deepEqual(records.forgotten, [])
  await relaxed.sync()
  assert.deepEqual(records.forgotten, ['gone'])
})

test('writes wait for a round while too much is unsynced', async (t) => {
  const { relaxed, records } = await open(t)
  await relaxed.run(64 * 1024 * 1024, async () => undefined)
  assert.equal(records.flushes, 0)
  await relaxed.run(1, async () => undefined)
  assert.equal(records.flushes, 1)
})

test('writes are synced after a round that failed, until one succeeds', async (t) => {
  const { relaxed, records, warnings, sinceMs } = await open(t)
  await relaxed.run(64 * 1024 * 1024, async () => undefined)
  const marked = sinceMs()
  records.failure = new Error('the disk failed')
  await relaxed.run(1, async (write) => assert.equal(write, undefined))
  assert.equal(relaxed.accepts('alpha', 1, { etag }), false)
  assert.equal(sinceMs(), marked)
  assert.deepEqual(warnings, ['could not sync the drive: writes are synced'])
  records.failure = undefined
  await relaxed.sync()
  assert.equal(relaxed.accepts('alpha', 1, { etag }), true)
})

test('a write is synced after a failed round, even with little that is not', async (t) => {
  const { relaxed, records } = await open(t)
  await relaxed.run(1, async () => undefined)
  records.failure = new Error('the disk failed')
  await relaxed.sync()
  await relaxed.run(0, async (write) => assert.equal(write, undefined))
  records.failure = undefined
})

test('a note that was removed is made again', async (t) => {
  const { relaxed, sinceMs, path } = await open(t)
  await relaxed.run(1, async () => undefined)
  await relaxed.sync()
  // As another container does it after a long time without writes.
  fs.rmSync(notesOn(path)[0] ?? '', { recursive: true })
  await relaxed.run(1, async (write) => assert.notEqual(write, undefined))
  assert.ok(sinceMs() > 0)
})

test('large objects, and those whose ETag is not their MD5, are synced', async (t) => {
  const { relaxed } = await open(t)
  assert.equal(relaxed.accepts('alpha', 8 * 1024 * 1024, { etag }), true)
  assert.equal(relaxed.accepts('alpha', 8 * 1024 * 1024 + 1, { etag }), false)
  assert.equal(relaxed.accepts('alpha', 1, { etag: `${etag}-1` }), false)
})

test('a note stays if a process in another container uses it again while the disk is synced', async (t) => {
  const { relaxed, path, ...drive } = await open(t)
  await relaxed.run(1, async () => undefined)
  const [own = ''] = notesOn(path)
  const other = own.replace(/\.\d+%2F/, '.1%2F')
  fs.renameSync(own, other)
  const [found] = await readNotes(drive.root)
  assert.ok(found)
  await endNotes(drive, [{ ...found, changedAtMs: 0 }])
  assert.deepEqual(notesOn(path), [other])
})
