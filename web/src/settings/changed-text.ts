import type { BucketStatus } from '../../../src/dashboard/management/management-schemas.ts'
import { settingsTexts } from '../texts/settings.ts'

/** What was set for buckets at run time: "1 created, 2 with a quota"; "none" if nothing was. */
export function changedBuckets(
  buckets: readonly Pick<
    BucketStatus,
    'source' | 'isPublic' | 'isPublicFromEnvironment' | 'quotaBytes' | 'allowedOrigins' | 'expiry'
  >[],
): string {
  const parts = [
    [buckets.filter(({ source }) => source === 'created').length, settingsTexts.changed.created],
    [
      buckets.filter((one) => one.isPublic && !one.isPublicFromEnvironment).length,
      settingsTexts.changed.public,
    ],
    [buckets.filter(({ quotaBytes }) => quotaBytes !== null).length, settingsTexts.changed.quota],
    [
      buckets.filter(({ allowedOrigins }) => allowedOrigins !== null).length,
      settingsTexts.changed.origins,
    ],
    [buckets.filter(({ expiry }) => expiry.length > 0).length, settingsTexts.changed.expiry],
  ] as const
  const some = parts.filter(([count]) => count > 0)
  return some.map(([count, what]) => `${count} ${what}`).join(', ') || settingsTexts.changed.none
}

/** "none", "1 key". */
export function amountOrNone(count: number, textOf: (count: number) => string): string {
  return count === 0 ? settingsTexts.changed.none : textOf(count)
}
