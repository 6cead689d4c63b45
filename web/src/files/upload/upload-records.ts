import { partSize } from './part-size.ts'
import type { UploadOrder } from './upload-item.ts'

/** The browser's record of an upload in parts, without the bytes. */
export interface UploadRecord {
  readonly uploadId: string
  readonly bucket: string
  readonly key: string
  readonly folder: string
  readonly size: number
  readonly lastModified: number
  /** An upload can continue only with parts of the same size. */
  readonly partBytes: number
  readonly atMs: number
}

const database = 'bucketry-uploads'
const table = 'uploads'

/** Maximum uploads remembered. Others are sent, but not remembered. */
const maxRecords = 200

/** The maximum age of a record. By then the server has discarded the upload, unless UPLOAD_EXPIRY_HOURS is higher. */
const maxAgeMs = 7 * 24 * 60 * 60_000

export function recordOf(uploadId: string, order: UploadOrder, atMs: number): UploadRecord {
  const { bucket, key, folder, file } = order
  const { size, lastModified } = file
  return { uploadId, bucket, key, folder, size, lastModified, partBytes: partSize(size), atMs }
}

/** Whether the file has not changed since its upload began, as far as the browser can tell. */
export function fits(record: UploadRecord, { file }: Pick<UploadOrder, 'file'>): boolean {
  const { size, lastModified, partBytes } = record
  return (
    size === file.size && lastModified === file.lastModified && partBytes === partSize(file.size)
  )
}

/** Whether a record is not too old. A record from the future, after the clock was set back, is not recent. */
export function isRecent({ atMs }: UploadRecord, nowMs: number): boolean {
  return Math.abs(nowMs - atMs) < maxAgeMs
}

/** All records of this origin. */
export function readRecords(): Promise<readonly UploadRecord[]> {
  return inTable<UploadRecord[]>('readonly', (store) => store.getAll(null, 2 * maxRecords))
}

export async function saveRecord(record: UploadRecord): Promise<void> {
  const count = await inTable('readonly', (store) => store.count())
  if (count < maxRecords) await inTable('readwrite', (store) => store.put(record))
}

export async function deleteRecord(uploadId: string): Promise<void> {
  await inTable('readwrite', (store) => store.delete(uploadId))
}

export async function clearRecords(): Promise<void> {
  await inTable('readwrite', (store) => store.clear())
}

/** One request in a transaction of its own (Indexed Database API 3.0, section 5). */
async function inTable<Result>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const opening = indexedDB.open(database, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(table, { keyPath: 'uploadId' })
  const opened = await resultOf(opening)
  try {
    return await resultOf(act(opened.transaction(table, mode).objectStore(table)))
  } finally {
    opened.close()
  }
}

function resultOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  request.onsuccess = () => resolve(request.result)
  request.onerror = () => reject(request.error)
  return promise
}
