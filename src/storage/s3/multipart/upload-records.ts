import type { StoredChecksum } from '../../drives/attributes.ts'
import type { ObjectName } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import type { PayloadDigest } from '../body/payload-writer.ts'
import { S3Error } from '../errors.ts'
import type { SentAttributes } from '../headers/object-headers.ts'
import type { PartRow, UploadRow, UploadTable } from './upload-table.ts'

/** An upload as requests name it: the ID is valid only together with its bucket and key. */
export interface UploadName extends ObjectName {
  readonly uploadId: string
  /** The access key that must have begun it. Absent: any. */
  readonly startedBy?: string
}

/** What CreateMultipartUpload requested; stored with the upload until Complete. */
export interface UploadDetails extends SentAttributes {
  readonly checksum?: UploadChecksum | undefined
  /** The access key that began it. Absent for the owner, and for uploads of earlier versions. */
  readonly startedBy?: string
}

/** The checksum of the completed object. */
export type UploadChecksum = Pick<StoredChecksum, 'algorithm' | 'type'>

/** A committed part. */
export interface UploadedPart {
  readonly number: number
  /** Hex MD5, no quotes. */
  readonly etag: string
  readonly size: number
  readonly modifiedAtMs: number
  readonly checksum?: StoredChecksum
}

/** The upload in any phase. @throws S3Error NoSuchUpload; AccessDenied if another access key has begun it */
export async function findUpload(table: UploadTable, name: UploadName): Promise<UploadRow> {
  const upload = await table.find(name.uploadId)
  if (upload?.target !== encodeTarget(name)) throw noSuchUpload(name.uploadId)
  const { startedBy } = name
  if (startedBy === undefined || detailsOf(upload).startedBy === startedBy) return upload
  throw new S3Error(
    'AccessDenied',
    'Access Denied: this access key may only continue and abort multipart uploads that it has begun.',
  )
}

export function encodeTarget(target: ObjectName): string {
  return JSON.stringify([target.bucket, target.key])
}

export function decodeTarget(target: string): ObjectName {
  const [bucket, key] = JSON.parse(target) as [string, string]
  return { bucket, key }
}

/** Sorts like the keys of a bucket, with every collation; `key` may be a prefix. */
export function sortKeyOf({ bucket, key }: ObjectName): string {
  return Buffer.from(`${bucket}/${key}`).toString('hex')
}

/** The start of the target of every upload, or of the uploads to one bucket. */
export function targetStart(bucket: string | undefined): string {
  return bucket === undefined ? '[' : `[${JSON.stringify(bucket)},`
}

export function detailsOf(upload: UploadRow): UploadDetails {
  return JSON.parse(upload.details) as UploadDetails
}

/** A part as it was received. */
export function uploadedPart(
  number: number,
  { md5Hex, size, checksum }: PayloadDigest,
  modifiedAtMs: number,
): UploadedPart {
  const part = { number, etag: md5Hex, size, modifiedAtMs }
  return checksum === undefined ? part : { ...part, checksum }
}

export function encodePart(part: UploadedPart): PartRow {
  return { ...part, checksum: part.checksum === undefined ? '' : JSON.stringify(part.checksum) }
}

export function decodePart({ checksum, ...part }: PartRow): UploadedPart {
  return checksum === '' ? part : { ...part, checksum: JSON.parse(checksum) as StoredChecksum }
}

/** The error for an upload that is unknown, belongs to another key, or was aborted or completed. */
export function noSuchUpload(uploadId: string): S3Error {
  return new S3Error('NoSuchUpload', undefined, { elements: { UploadId: uploadId } })
}

/**
 * The error for a part out of sequence or a busy upload: the client should retry (docs/contract/object-storage.md,
 * "Error codes").
 */
export function slowDown(message: string, options: ErrorOptions = {}): S3Error {
  return new S3Error('SlowDown', message, { ...options, headers: { 'Retry-After': '1' } })
}

/** The error for a request that stalled for so long that another request took the upload's lease. */
export function leaseLost(): S3Error {
  return slowDown(
    'Another process took over the upload while this request was stalled. Send the request again.',
  )
}

/**
 * Resolves with the result of a drive's call, or `otherwise` if the upload's bytes are gone. Nothing is left to do
 * then, and the row must not stay forever.
 */
export async function unlessGone<Result>(
  work: Promise<Result>,
  otherwise: Result,
): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof DriveError && error.kind === 'upload-gone') return otherwise
    throw error
  }
}
