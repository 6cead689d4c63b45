/** Access keys with the right to create objects, but not to replace them (docs/access-keys.md, "Write-once keys"). */
import { isDeepStrictEqual } from 'node:util'
import { isAuthorized } from '../access/authorize.ts'
import type { ObjectMetadata, WriteConditions } from '../drives/drive.ts'
import { DriveError } from '../drives/drive-error.ts'
import type { PayloadDigest } from './body/payload-writer.ts'
import type { ObjectContext } from './context.ts'
import { quoted, S3Error } from './errors.ts'
import { type SentAttributes, sentAttributes } from './headers/object-headers.ts'
import { writeConditions } from './headers/preconditions.ts'

/**
 * The conditions of a PUT, Complete or copy. A write-once key has the condition that there is no object, which is stricter
 * than any If-None-Match that its client has sent.
 *
 * @throws S3Error AccessDenied if a write-once key sends If-Match
 */
export function conditionsOf(context: ObjectContext): WriteConditions | undefined {
  const { request, createsOnly } = context
  const own = writeConditions(request.headers)
  if (!createsOnly) return own
  if (own?.ifMatch !== undefined) throw refusal(context, 'If-Match asks to replace one')
  return { ifNoneMatch: '*' }
}

/**
 * Explains the failure of a request with a write-once key. A client that sent the condition itself gets 412 as usual.
 *
 * @throws S3Error AccessDenied if there is an object; otherwise the error
 */
export function failOnce(error: unknown, context: ObjectContext): never {
  const { request, bucket, key } = context
  const isAsked = writeConditions(request.headers)?.ifNoneMatch === '*'
  if (!isOccupied(error) || isAsked) throw error
  throw refusal(context, `${quoted(`${bucket}/${key}`)} exists`, error)
}

/**
 * Whether a write may be the repetition of one whose reply was lost. SDKs repeat it, and backup programs give up after 403.
 * Only if the key may read the object, because the reply reveals whether the object has the sent content.
 */
export function mayRepeat(context: ObjectContext): boolean {
  const { request, createsOnly, identity, bucket, key } = context
  if (!createsOnly || writeConditions(request.headers) !== undefined) return false
  return isAuthorized(identity, { action: 'read', bucket, key, isPublic: false })
}

/** The object that prevented a write, if it has the same bytes and attributes. Otherwise undefined. */
export async function storedBefore(
  context: ObjectContext,
  { sent, received }: { sent: SentAttributes; received: PayloadDigest | undefined },
  error: unknown,
): Promise<ObjectMetadata | undefined> {
  if (received === undefined || !isOccupied(error) || !mayRepeat(context)) return undefined
  const { service, request, bucket, key } = context
  const stored = await service.drive.head(bucket, key)
  if (stored?.size !== received.size || stored.attributes.etag !== received.md5Hex) return undefined
  const kept = sentAttributes(stored.attributes)
  const { retention, ...others } = sentAttributes(sent)
  // A default retention ends later with each attempt.
  const isAsked = request.headers['x-amz-object-lock-mode'] !== undefined
  const asked = { ...kept, ...others, ...(isAsked && { retention }) }
  return isDeepStrictEqual(kept, asked) ? stored : undefined
}

function isOccupied(error: unknown): boolean {
  return error instanceof DriveError && error.kind === 'condition'
}

function refusal({ identity }: ObjectContext, why: string, cause?: unknown): S3Error {
  const name = identity.kind === 'key' ? ` ${quoted(identity.name)}` : ''
  const mayNot = 'may create objects but not replace them, and'
  return new S3Error('AccessDenied', `Access Denied: this access key ${mayNot} ${why}.`, {
    cause,
    reason: `The access key${name} ${mayNot} ${why}.`,
  })
}
