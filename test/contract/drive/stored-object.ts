import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Attributes } from '../../../src/storage/drives/attributes.ts'
import type {
  Drive,
  ObjectMetadata,
  PartDraft,
  WriteConditions,
} from '../../../src/storage/drives/drive.ts'
import { DriveError, type DriveErrorKind } from '../../../src/storage/drives/drive-error.ts'
import type { Entry, ListQuery } from '../../../src/storage/drives/listed-entry.ts'
import { testBytes } from '../../support/test-bytes.ts'
import { buckets } from './drive-suite.ts'

/** The bucket of all cases that need one. */
export const bucket = buckets[0]

/** Objects that a test expects: key to text. */
export type Expected = Readonly<Record<string, string>>

export function md5Of(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex')
}

/**
 * Bytes without repetition that differ between seeds, so that a mix-up is visible: a sequence with a
 * period of 64 KiB once hid that chunks of 256 KiB were swapped.
 */
export function bytesOf(size: number, seed = 0): Buffer {
  return testBytes(String(seed), size)
}

export function attributesOf(bytes: Uint8Array, more: Partial<Attributes> = {}): Attributes {
  return { etag: md5Of(bytes), headers: {}, metadata: {}, ...more }
}

/** The attributes that an object must have, of which a server behind may add a checksum of its own. */
export function asStored(drive: Drive, expected: Attributes, found: Attributes): Attributes {
  const isAdded = drive.ownEtags?.(bucket) && expected.checksum === undefined
  return isAdded && found.checksum ? { ...expected, checksum: found.checksum } : expected
}

export interface PutOptions {
  readonly conditions?: WriteConditions
  readonly attributes?: Partial<Attributes>
  readonly chunkBytes?: number
  readonly bucket?: string
}

/** Writes an object in chunks, as the S3 operation does: a failed draft is discarded. */
export async function put(
  drive: Drive,
  key: string,
  content: Uint8Array | string,
  options: PutOptions = {},
): Promise<ObjectMetadata> {
  const bytes = Buffer.from(content)
  const { conditions } = options
  const attributes = attributesOf(bytes, options.attributes)
  const checksum = attributes.checksum?.algorithm
  const draft = await drive.draft(options.bucket ?? bucket, key, {
    size: bytes.length,
    announced: { attributes, conditions, checksum },
  })
  try {
    await writeChunks(draft, bytes, options.chunkBytes ?? 64 * 1024)
    return await draft.publish(attributes, conditions)
  } finally {
    await draft.discard()
  }
}

/** Writes with one buffer, which is reused as soon as possible. */
export async function writeChunks(
  draft: Pick<PartDraft, 'write'>,
  bytes: Uint8Array,
  chunkBytes = 64 * 1024,
): Promise<void> {
  const buffer = new Uint8Array(chunkBytes)
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = bytes.subarray(at, at + chunkBytes)
    buffer.set(chunk)
    await draft.write(buffer.subarray(0, chunk.length))
    buffer.fill(0xee)
  }
}

/** The object's bytes; undefined if there is none. The metadata and the length must agree. */
export async function get(drive: Drive, key: string, name: string = bucket) {
  const object = await drive.open(name, key)
  if (object === undefined) return undefined
  try {
    const bytes = await collect(object.read(0, object.size))
    assert.equal(bytes.length, object.size)
    if (object.content !== undefined) assert.ok(bytes.equals(object.content))
    return bytes
  } finally {
    await object.close()
  }
}

/** The bytes of the chunks; undefined if they end because the file was changed. */
export async function collectUnlessChanged(chunks: AsyncIterable<Uint8Array>) {
  try {
    return await collect(chunks)
  } catch (error) {
    if (error instanceof DriveError && error.kind === 'changed') return undefined
    throw error
  }
}

export async function getText(drive: Drive, key: string): Promise<string | undefined> {
  return (await get(drive, key))?.toString()
}

export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const copies: Buffer[] = []
  for await (const chunk of chunks) copies.push(Buffer.from(chunk))
  return Buffer.concat(copies)
}

/** All entries, in batches of `limit`. Checks the promises of drive.ts for each batch. */
export async function listAll(
  drive: Drive,
  query: Partial<ListQuery> = {},
  { limit = 1000, name = bucket as string } = {},
): Promise<Entry[]> {
  const cursor = drive.list(name, { prefix: '', after: '', ...query })
  const entries: Entry[] = []
  for (;;) {
    const batch = await cursor.next(limit)
    assert.ok(batch.length <= limit)
    if (batch.length === 0) break
    entries.push(...batch)
  }
  assert.deepEqual(await cursor.next(limit), [], 'the end is the end')
  return entries
}

export async function listKeys(
  drive: Drive,
  query: Partial<ListQuery> = {},
  name: string = bucket,
): Promise<string[]> {
  return (await listAll(drive, query, { name })).map((entry) => entry.key)
}

export function sortedKeys(keys: Iterable<string>): string[] {
  return [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}

/** Checks with list, head and open that exactly these objects exist with these contents. */
export async function assertHolds(drive: Drive, expected: Expected): Promise<void> {
  assert.deepEqual(await listKeys(drive), sortedKeys(Object.keys(expected)))
  for (const [key, text] of Object.entries(expected)) {
    assert.equal(await getText(drive, key), text, key)
    assert.equal((await drive.head(bucket, key))?.attributes.etag, md5Of(Buffer.from(text)), key)
  }
}

export async function rejectsAs(promise: unknown, ...kinds: DriveErrorKind[]) {
  await assert.rejects(Promise.resolve(promise), (error) => {
    assert.ok(error instanceof DriveError, String(error))
    assert.ok(kinds.includes(error.kind), `${error.kind}: ${error.message}`)
    return true
  })
}
