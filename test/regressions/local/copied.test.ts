import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openDatabase } from '../../../src/platform/state/open-database.ts'
import type { Attributes } from '../../../src/storage/drives/attributes.ts'
import { openLocalDrive } from '../../../src/storage/drives/local/local-drive.ts'
import { DatabaseFileRecords } from '../../../src/storage/drives/local/objects/file-record-table.ts'
import { attributesOf, bucket, get, log, put } from '../../unit/storage/drives/local/open-drive.ts'
import { tempFolder } from '../../unit/storage/drives/local/temp-folder.ts'

const keys = ['top', 'a', 'a/b', 'a/', 'ü/ä.bin', `long-${'é'.repeat(200)}`, '100%25', '..']

/** Opens drives over several folders, all with the same database, as after a move to a new disk. */
async function openShared(t: TestContext) {
  const folder = tempFolder(t)
  const database = await openDatabase(
    { kind: 'sqlite', path: join(folder, 'records.db') },
    { migrate: true },
  )
  const records = new DatabaseFileRecords(database)
  t.after(async () => {
    await records.close()
    await database.close()
  })
  const open = async (root: string) => {
    const drive = await openLocalDrive({ root, records, log })
    await drive.prepare([bucket])
    t.after(() => drive.close())
    return drive
  }
  return { folder, open }
}

async function openWritten(t: TestContext) {
  const { folder, open } = await openShared(t)
  const drive = await open(join(folder, 'drive'))
  const written = new Map<string, Attributes>()
  for (const key of keys) written.set(key, (await put(drive, key, `bytes of ${key}`)).attributes)
  const session = await drive.uploads.begin('u', { bucket, key: 'parts' })
  const part = await drive.uploads.append(session, { offset: 0 })
  await part.write(Buffer.from('part'))
  const attributes = { ...attributesOf('part'), etag: `${'1'.repeat(32)}-1` }
  const target = { bucket, key: 'parts' }
  await drive.uploads.complete(await part.commit(), { target, size: 4, attributes })
  return { folder, open, drive, written: written.set('parts', attributes) }
}

/** Bytes from all read calls of this process (proc(5), /proc/pid/io). */
function readBytes(): number {
  return Number(/^rchar: (\d+)/m.exec(fs.readFileSync('/proc/self/io', 'latin1'))?.[1])
}

test('a HEAD of files that were copied into the folder reads none of them', async (t) => {
  const { folder, open } = await openShared(t)
  const root = join(folder, 'drive')
  const drive = await open(root)
  const copied = Array.from({ length: 64 }, (_, index) => `${index}`)
  for (const key of copied) {
    fs.writeFileSync(join(root, bucket, key), '')
    fs.truncateSync(join(root, bucket, key), 1024 * 1024)
  }
  await drive.head(bucket, copied[0] ?? '')
  const before = readBytes()
  for (const key of copied) {
    const { size, attributes } = (await drive.head(bucket, key)) ?? {}
    assert.equal(size, 1024 * 1024)
    // docs/contract/object-storage.md, "ETags": a stable value with a `-`, so that nobody takes it for an MD5.
    assert.match(attributes?.etag ?? '', /^[0-9a-f]{32}-1$/)
  }
  assert.ok(readBytes() - before < 1024 * 1024, 'less than one file')
})

test('a drive that was copied with cp -a has its ETags and metadata', async (t) => {
  const { folder, open, written } = await openWritten(t)
  const copied = join(folder, 'copied')
  execFileSync('cp', ['-a', join(folder, 'drive'), copied])
  fs.rmSync(join(folder, 'drive'), { recursive: true })
  const listing = await open(copied)
  const entries = await listing.list(bucket, { prefix: '', after: '' }).next(100)
  const listed = entries.map((entry) => [entry.key, entry.kind === 'object' && entry.etag])
  const expected = [...written].map(([key, { etag }]) => [key, etag] as const)
  assert.deepEqual(new Map(listed as [string, string][]), new Map(expected))
  for (const [key, attributes] of written) {
    assert.deepEqual((await listing.head(bucket, key))?.attributes, attributes, key)
  }
  assert.equal((await get(listing, 'a'))?.text, 'bytes of a')
})

test('a file with another time at the path of a known one is another object', async (t) => {
  const { folder, open } = await openWritten(t)
  const copied = join(folder, 'copied')
  execFileSync('cp', ['-r', join(folder, 'drive'), copied])
  const other = await open(copied)
  assert.match((await other.head(bucket, 'top'))?.attributes.etag ?? '', /^[0-9a-f]{32}-1$/)
})

test('a file renamed by hand keeps its attributes, also after a restart', async (t) => {
  const { folder, open, written, drive } = await openWritten(t)
  fs.mkdirSync(join(folder, 'drive', bucket, 'by hand'))
  for (const name of ['top', 'parts']) {
    const from = join(folder, 'drive', bucket, name)
    fs.renameSync(from, join(folder, 'drive', bucket, 'by hand', name))
  }
  for (const one of [drive, await open(join(folder, 'drive'))]) {
    for (const name of ['top', 'parts']) {
      assert.deepEqual((await one.head(bucket, `by hand/${name}`))?.attributes, written.get(name))
      assert.equal(await one.head(bucket, name), undefined)
    }
  }
})
