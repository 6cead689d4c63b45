import type { KeyIdentity } from '../../access/identity.ts'
import { quoted } from '../address/client-text.ts'
import type { BucketContext, S3Service } from '../context.ts'
import { S3Error } from '../errors.ts'

/**
 * Checks the bucket's quota and the access key's limit before bytes are added. Undefined, at no cost, if there
 * are none.
 *
 * @throws S3Error QuotaExceeded
 */
export function requireRoom(context: BucketContext, bytes: number): Promise<void> | undefined {
  return hasLimit(context) ? checkRoom(context, bytes) : undefined
}

/** As `requireRoom`, for bytes that are added to an upload: what it has already is not in the bucket yet. */
export function requireRoomForUpload(
  context: BucketContext,
  uploadId: string,
  bytes: number,
): Promise<void> | undefined {
  return hasLimit(context) ? checkRoomForUpload(context, uploadId, bytes) : undefined
}

function hasLimit({ identity, configuration }: BucketContext): boolean {
  if (configuration.quotaBytes !== undefined) return true
  return identity.kind === 'key' && identity.limits.bytes !== undefined
}

async function checkRoomForUpload(
  context: BucketContext,
  uploadId: string,
  bytes: number,
): Promise<void> {
  const committed = await context.service.uploads.openBytes(uploadId)
  // An upload that is not open is refused elsewhere, or its Complete is repeated.
  if (committed !== undefined) await checkRoom(context, committed + bytes)
}

async function checkRoom(context: BucketContext, bytes: number): Promise<void> {
  const { service, identity, bucket, configuration } = context
  const { quotaBytes } = configuration
  if (quotaBytes !== undefined) {
    const used = await service.usage.bytesIn([bucket])
    if (used !== undefined && used + bytes > quotaBytes) {
      throw new S3Error(
        'QuotaExceeded',
        `The quota of the bucket ${quoted(bucket)} is ${quotaBytes} bytes, and it contains about ${used}: there is no room for ${bytes} more.`,
      )
    }
  }
  if (identity.kind !== 'key' || identity.limits.bytes === undefined) return
  const used = await service.usage.bytesIn(bucketsOf(identity, service))
  if (used !== undefined && used + bytes > identity.limits.bytes) {
    throw new S3Error(
      'QuotaExceeded',
      `The limit of this access key is ${identity.limits.bytes} bytes, and its buckets contain about ${used}: there is no room for ${bytes} more.`,
    )
  }
}

/** The buckets that the key's grants name. */
function bucketsOf({ grants }: KeyIdentity, { buckets }: S3Service): string[] {
  const granted = new Set(grants.map(({ bucket }) => bucket))
  const names = buckets.all().map(({ name }) => name)
  return granted.has('*') ? names : names.filter((name) => granted.has(name))
}
