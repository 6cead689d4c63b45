import type { BucketStatus } from '../../../src/dashboard/management/management-schemas.ts'
import { formatAmount } from '../format/bytes.ts'

/** What was set for buckets at run time: "1 created, 2 with a quota"; "none" if nothing was. */
export function changedBuckets(
  buckets: readonly Pick<
    BucketStatus,
    'source' | 'isPublic' | 'isPublicFromEnvironment' | 'quotaBytes' | 'allowedOrigins' | 'expiry'
  >[],
): string {
  const parts = [
    [buckets.filter(({ source }) => source === 'created').length, 'created'],
    [buckets.filter((one) => one.isPublic && !one.isPublicFromEnvironment).length, 'made public'],
    [buckets.filter(({ quotaBytes }) => quotaBytes !== null).length, 'with a quota'],
    [buckets.filter(({ allowedOrigins }) => allowedOrigins !== null).length, 'with origins'],
    [buckets.filter(({ expiry }) => expiry.length > 0).length, 'with expiry'],
  ] as const
  const some = parts.filter(([count]) => count > 0)
  return some.map(([count, what]) => `${count} ${what}`).join(', ') || 'none'
}

/** "none", "1 key". */
export function amountOrNone(count: number, one: string): string {
  return count === 0 ? 'none' : formatAmount(count, one)
}
