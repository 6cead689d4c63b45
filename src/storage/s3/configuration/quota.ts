import type { StorageLimit } from '../../buckets/bucket-usage.ts'
import type { PayloadSink } from '../body/payload-writer.ts'
import type { BucketContext } from '../context.ts'
import { quoted, S3Error } from '../errors.ts'

/** Wraps the sink of a body so that its bytes count. */
export type Counted = (sink: PayloadSink) => PayloadSink

/** A part that a request adds to an upload. */
interface AddedPart {
  readonly uploadId: string
  readonly number: number
  /** Undefined if the size is unknown. */
  readonly size: number | undefined
}

/** What a reservation is for. */
interface Need {
  /** Undefined: bytes count as they are written. */
  readonly size: number | undefined
  /** Bytes that the request replaces. */
  readonly replaced?: number
  /** Bytes that the upload has already. */
  readonly uploaded?: number
}

interface NamedLimit extends StorageLimit {
  /** For messages: the name of the limit, and what contains the bytes. */
  readonly name: string
  readonly containers: string
}

const uncounted: Counted = (sink) => sink

/**
 * Runs work that adds bytes to the bucket. The bytes count towards its quota and the access key's limit from the start so
 * that concurrent requests cannot exceed them together. Costs nothing without a limit.
 *
 * @throws S3Error QuotaExceeded, and whatever `work` throws
 */
export function withinQuota<Result>(
  context: BucketContext,
  size: number | undefined,
  work: (counted: Counted) => Promise<Result>,
): Promise<Result> {
  return hasLimit(context) ? withReserved(context, { size }, work) : work(uncounted)
}

/** As `withinQuota`, for a part of an upload, which counts until the upload ends. */
export async function partWithinQuota<Part extends { readonly size: number }>(
  context: BucketContext,
  { uploadId, number, size }: AddedPart,
  work: (counted: Counted) => Promise<Part>,
): Promise<Part> {
  const { service, bucket } = context
  const upload = hasLimit(context) ? await service.uploads.find(uploadId) : undefined
  // An upload that is not open is refused elsewhere.
  if (upload?.phase !== 'open') {
    const part = await work(uncounted)
    service.usage.addedParts(bucket, part.size)
    return part
  }
  const { size: uploaded } = upload
  const replaced = await service.uploads.replacedBytes(upload, number)
  const need = { size, uploaded, replaced }
  return await withReserved(context, need, work)
}

/**
 * Checks that the objects of the bucket and an upload do not exceed the limits together. Other open uploads do not
 * prevent a Complete.
 *
 * @returns the bytes of its parts, which Complete releases; undefined bytes without a limit. Undefined if another request
 *   completes the upload or has completed it, and so counts it: clients repeat a slow Complete.
 * @throws S3Error QuotaExceeded
 */
export async function assertQuotaForComplete(
  context: BucketContext,
  uploadId: string,
): Promise<{ readonly bytes: number | undefined } | undefined> {
  if (!hasLimit(context)) return { bytes: undefined }
  const upload = await context.service.uploads.find(uploadId)
  if (upload?.phase !== 'open') return undefined
  const { size: bytes } = upload
  const exceeded = await context.service.usage.exceededBy(bytes, limitsOf(context))
  if (exceeded !== undefined) throw quotaExceeded(exceeded, bytes)
  return { bytes }
}

/** The bytes that the abort of an upload releases; 0 without a limit. */
export async function bytesToGiveBack(context: BucketContext, uploadId: string): Promise<number> {
  const upload = hasLimit(context) ? await context.service.uploads.find(uploadId) : undefined
  return upload?.phase === 'open' ? upload.size : 0
}

function hasLimit({ identity, configuration }: BucketContext): boolean {
  if (configuration.quotaBytes !== undefined) return true
  return identity.kind === 'key' && identity.limits.bytes !== undefined
}

function limitsOf({ service, identity, bucket, configuration }: BucketContext): NamedLimit[] {
  const { quotaBytes } = configuration
  const limits: NamedLimit[] = []
  if (quotaBytes !== undefined) {
    const name = `The quota of the bucket ${quoted(bucket)}`
    limits.push({ name, containers: 'it contains', buckets: [bucket], bytes: quotaBytes })
  }
  if (identity.kind === 'key' && identity.limits.bytes !== undefined) {
    const granted = new Set(identity.grants.map((grant) => grant.bucket))
    const names = service.buckets.all().map((one) => one.name)
    const buckets = granted.has('*') ? names : names.filter((name) => granted.has(name))
    const name = 'The limit of this access key'
    const containers = 'its buckets contain'
    limits.push({ name, containers, buckets, bytes: identity.limits.bytes })
  }
  return limits
}

async function withReserved<Result>(
  context: BucketContext,
  { size, replaced = 0, uploaded }: Need,
  work: (counted: Counted) => Promise<Result>,
): Promise<Result> {
  const { service, bucket } = context
  const { usage } = service
  const limits = limitsOf(context)
  let [written, reserved] = [0, 0]
  const take = async (bytes: number) => {
    const more = Math.max(written + bytes - replaced, 0) - reserved
    const exceeded = await usage.reserve(bucket, more, limits, uploaded)
    if (exceeded !== undefined) throw quotaExceeded(exceeded, more)
    written += bytes
    reserved += more
  }
  const counted: Counted = (sink) => ({
    async write(chunk) {
      await take(chunk.length)
      await sink.write(chunk)
    },
  })
  try {
    await take(size ?? 0)
    const result = await work(size === undefined ? counted : uncounted)
    if (uploaded !== undefined) usage.addedParts(bucket, reserved)
    return result
  } finally {
    usage.giveBack(bucket, reserved)
  }
}

function quotaExceeded(
  {
    limit: { name, bytes: max, containers },
    stored,
    pending,
  }: { readonly limit: NamedLimit; readonly stored: number; readonly pending: number },
  bytes: number,
): S3Error {
  const others = pending === 0 ? '' : `, and uploads in progress about ${pending}`
  return new S3Error(
    'QuotaExceeded',
    `${name} is ${max} bytes, and ${containers} about ${stored}${others}: ${bytes} more bytes would exceed it.`,
  )
}
