import crypto from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Attributes } from '../../../../../src/storage/drives/attributes.ts'
import type {
  Drive,
  ObjectMetadata,
  WriteConditions,
} from '../../../../../src/storage/drives/drive.ts'
import { openLocalDrive } from '../../../../../src/storage/drives/local/local-drive.ts'
import type { VersioningOf } from '../../../../../src/storage/drives/versions.ts'
import { MemoryRecords } from './memory-records.ts'
import { tempFolder } from './temp-folder.ts'

export const bucket = 'alpha'
export const log = { warn: (fields: object, message: string) => console.error(message, fields) }

/** A drive with one bucket over a new folder. */
export async function openDrive(
  t: TestContext,
  root = tempFolder(t),
  records = new MemoryRecords(),
  versioningOf?: VersioningOf,
) {
  const drive = await openLocalDrive({ root, records, log, versioningOf })
  t.after(() => drive.close())
  await drive.prepare([bucket])
  return { drive, root, records, folder: `${root}/${bucket}` }
}

export function attributesOf(bytes: string): Attributes {
  const etag = crypto.hash('md5', bytes)
  return { etag, headers: { 'content-type': 'text/x-test' }, metadata: { size: `${bytes.length}` } }
}

export async function put(
  drive: Drive,
  key: string,
  bytes: string,
  conditions: WriteConditions = {},
): Promise<ObjectMetadata> {
  const draft = await drive.draft(bucket, key, { size: Buffer.byteLength(bytes) })
  await draft.write(Buffer.from(bytes))
  return await draft.publish(attributesOf(bytes), conditions)
}

/** The text and the ETag of one version. */
export async function get(
  drive: Drive,
  key: string,
): Promise<{ text: string; etag: string } | undefined> {
  const object = await drive.open(bucket, key)
  if (object === undefined) return undefined
  try {
    const text = await readAll(object.read(0, object.size))
    return { text, etag: object.attributes.etag }
  } finally {
    await object.close()
  }
}

export async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all).toString()
}

export async function listKeys(drive: Drive): Promise<string[]> {
  const cursor = drive.list(bucket, { prefix: '', after: '' })
  const keys: string[] = []
  for (;;) {
    const entries = await cursor.next(1000)
    if (entries.length === 0) return keys
    keys.push(...entries.map(({ key }) => key))
  }
}
