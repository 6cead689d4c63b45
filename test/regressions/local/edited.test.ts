import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { mock, type TestContext, test } from 'node:test'
import type { Attributes } from '../../../src/storage/drives/attributes.ts'
import { openLocalDrive } from '../../../src/storage/drives/local/local-drive.ts'
import { MemoryRecords } from '../../unit/storage/drives/local/memory-records.ts'
import { bucket, get } from '../../unit/storage/drives/local/open-drive.ts'
import { tempFolder } from '../../unit/storage/drives/local/temp-folder.ts'

/** What is written now was written an hour ago, and is touched now. */
const hour = 60 * 60 * 1000
const { now } = Date
mock.method(Date, 'now', () => now() - hour)

const md5 = (bytes: string, encoding: 'hex' | 'buffer' = 'hex') =>
  crypto.hash('md5', bytes, encoding)
const stored = { headers: { 'content-type': 'text/x-test' }, metadata: { kept: 'yes' } }
const checksum = { algorithm: 'CRC32', value: 'AAAAAA==', type: 'FULL_OBJECT' } as const
const composite = Buffer.concat([md5('first ', 'buffer') as never, md5('bytes', 'buffer') as never])
/** Of the bytes `first bytes`. */
const objects: Readonly<Record<string, Attributes>> = {
  whole: { ...stored, checksum, etag: md5('first bytes') as string },
  parts: {
    ...stored,
    ...{ etag: `${crypto.hash('md5', composite)}-2` },
    partSizes: [
      [1, 6],
      [1, 5],
    ],
  },
}

async function openWritten(t: TestContext) {
  const root = join(tempFolder(t), 'drive')
  const records = new MemoryRecords()
  const log = { warn: () => undefined }
  const open = async (at = root) => {
    const drive = await openLocalDrive({ root: at, records, log })
    t.after(() => drive.close())
    return drive
  }
  const drive = await open()
  await drive.prepare([bucket])
  for (const [key, attributes] of Object.entries(objects)) {
    const draft = await drive.draft(bucket, key, {})
    await draft.write(Buffer.from('first bytes'))
    await draft.publish(attributes)
  }
  return { root, drive, open, path: (key: string) => join(root, bucket, key) }
}

/**
 * As a program does that edits tags in place and restores the time of the file, later than the tick of the file system's
 * clock in which the file has changed before.
 */
function edit(path: string, bytes: string): void {
  const before = fs.statSync(path, { bigint: true })
  const seconds = `${before.mtimeNs / 1_000_000_000n}.${String(before.mtimeNs % 1_000_000_000n).padStart(9, '0')}`
  let after = before
  while (after.ctimeMs <= before.ctimeMs + 2n) {
    fs.writeFileSync(path, bytes, { flag: 'r+' })
    execFileSync('touch', ['-d', new Date(0).toISOString(), path])
    execFileSync('touch', ['-d', `@${seconds}`, path])
    after = fs.statSync(path, { bigint: true })
    assert.equal(after.mtimeNs, before.mtimeNs)
  }
}

test('HEAD, GET and LIST have one ETag after an edit that restores the time, and HEAD reads no bytes', async (t) => {
  const { open, path } = await openWritten(t)
  for (const key of Object.keys(objects)) edit(path(key), 'other bytes')
  const read = ['read', 'readSync'] as const
  const reads = read.map((name) => t.mock.method(fs, name))
  const drive = await open()
  const listed = new Map<string, string>()
  for (const entry of await drive.list(bucket, { prefix: '', after: '' }).next(10)) {
    if (entry.kind === 'object') listed.set(entry.key, entry.etag)
  }
  for (const [key, attributes] of Object.entries(objects)) {
    assert.deepEqual((await drive.head(bucket, key))?.attributes, attributes)
    assert.equal(listed.get(key), attributes.etag)
    assert.deepEqual(
      reads.map(({ mock }) => mock.callCount()),
      [0, 0],
    )
  }
  for (const [key, { etag }] of Object.entries(objects)) {
    assert.deepEqual(await get(drive, key), { text: 'other bytes', etag })
  }
})

const changes: Readonly<Record<string, (path: string) => string | undefined>> = {
  'a permission': (path) => void fs.chmodSync(path, 0o600),
  'a hard link': (path) => void fs.linkSync(path, `${path}.link`),
  'a new name': (path) => {
    fs.renameSync(path, `${path}.renamed`)
    return '.renamed'
  },
}
for (const [name, change] of Object.entries(changes)) {
  test(`a file that gets ${name} keeps its attributes`, async (t) => {
    const { drive, open, path } = await openWritten(t)
    for (const [key, attributes] of Object.entries(objects)) {
      await get(drive, key)
      const suffix = change(path(key)) ?? ''
      for (const one of [drive, await open()]) {
        assert.deepEqual((await one.head(bucket, key + suffix))?.attributes, attributes)
        assert.equal((await get(one, key + suffix))?.text, 'first bytes')
      }
    }
  })
}

test('a drive that was copied long after it was written has its attributes', async (t) => {
  const { root, open } = await openWritten(t)
  execFileSync('cp', ['-a', root, `${root}-copied`])
  fs.rmSync(root, { recursive: true })
  for (const one of [await open(`${root}-copied`), await open(`${root}-copied`)]) {
    for (const [key, attributes] of Object.entries(objects)) {
      assert.deepEqual((await one.head(bucket, key))?.attributes, attributes)
    }
  }
})
