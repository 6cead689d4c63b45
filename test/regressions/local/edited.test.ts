import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { mock, type TestContext, test } from 'node:test'
import type { Attributes } from '../../../src/drives/attributes.ts'
import { openLocalDrive } from '../../../src/drives/local/local-drive.ts'
import { MemoryRecords } from '../../unit/drives/local/memory-records.ts'
import { bucket, get } from '../../unit/drives/local/open-drive.ts'
import { tempFolder } from '../../unit/drives/local/temp-folder.ts'

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
  const warnings: object[] = []
  const log = { warn: (fields: object) => void warnings.push(fields) }
  const open = async (at = root, isReadOnly = false) => {
    const drive = await openLocalDrive({ root: at, records, log, isReadOnly })
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
  return { root, drive, open, warnings, path: (key: string) => join(root, bucket, key) }
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

for (const key of Object.keys(objects)) {
  test(`new bytes of ${key} never have the old ETag, whoever restored the time`, async (t) => {
    const { drive, open, path, warnings } = await openWritten(t)
    const etags = new Set([objects[key]?.etag])
    for (const text of ['other bytes', 'again bytes']) {
      await get(drive, key)
      await drive.head(bucket, key)
      edit(path(key), text)
      const replies = [await drive.head(bucket, key), await (await open()).head(bucket, key)]
      const [first, elsewhere] = replies.map((reply) => reply?.attributes)
      assert.deepEqual(first, elsewhere)
      assert.deepEqual({ ...first, etag: '' }, { ...stored, etag: '' })
      assert.match(first?.etag ?? '', /^[0-9a-f]{32}-1$/)
      assert.equal(etags.has(first?.etag), false)
      etags.add(first?.etag)
      assert.deepEqual(await get(drive, key), { text, etag: first?.etag })
    }
    assert.ok(warnings.length > 0)
    // A command that only reads must find the difference.
    const reading = await open(undefined, true)
    assert.deepEqual((await reading.head(bucket, key))?.attributes, objects[key])
  })
}

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
    const { drive, open, path, warnings } = await openWritten(t)
    for (const [key, attributes] of Object.entries(objects)) {
      await get(drive, key)
      const suffix = change(path(key)) ?? ''
      for (const one of [drive, await open()]) {
        assert.deepEqual((await one.head(bucket, key + suffix))?.attributes, attributes)
        assert.equal((await get(one, key + suffix))?.text, 'first bytes')
      }
    }
    assert.deepEqual(warnings, [])
  })
}

test('a large file is compared a piece at a time, since many requests may wait for it', async (t) => {
  const { drive, open, path } = await openWritten(t)
  const bytes = crypto.randomBytes(1_000_000)
  const halves = [bytes.subarray(0, 400_000), bytes.subarray(400_000)]
  const digests = halves.map((half) => crypto.hash('md5', half, 'buffer'))
  const large: Readonly<Record<string, Attributes>> = {
    largeWhole: { ...stored, etag: crypto.hash('md5', bytes) },
    largeParts: {
      ...stored,
      ...{ etag: `${crypto.hash('md5', Buffer.concat(digests))}-2` },
      partSizes: [
        [1, 400_000],
        [1, 600_000],
      ],
    },
  }
  const sizes = new Set<number>()
  const { readSync } = fs
  t.mock.method(fs, 'readSync', ((fd, buffer, ...rest: number[]) => {
    sizes.add(buffer.byteLength)
    return (readSync as (...all: unknown[]) => number)(fd, buffer, ...rest)
  }) as typeof fs.readSync)
  for (const [key, attributes] of Object.entries(large)) {
    const draft = await drive.draft(bucket, key, {})
    await draft.write(bytes)
    await draft.publish(attributes)
    fs.chmodSync(path(key), 0o600)
    sizes.clear()
    const one = await open()
    assert.deepEqual((await one.head(bucket, key))?.attributes, attributes)
    assert.ok(sizes.size > 0 && Math.max(...sizes) <= 64 * 1024, [...sizes].join())
    edit(path(key), 'other')
    assert.match((await one.head(bucket, key))?.attributes.etag ?? '', /^[0-9a-f]{32}-1$/)
  }
})

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
