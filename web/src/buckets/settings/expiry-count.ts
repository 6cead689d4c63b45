import type {
  ExpiryDryRunBody,
  ExpiryDryRunReply,
} from '../../../../src/dashboard/management/management-schemas.ts'
import { formatBytes } from '../../format/bytes.ts'
import { formatAge, formatMoment } from '../../format/time.ts'
import { bucketsTexts } from '../../texts/buckets.ts'

/** What expiry rules would delete now, as far as it was counted. */
export interface ExpiryCount extends Omit<ExpiryDryRunReply, 'next'> {
  readonly isComplete: boolean
}

/** Whether the rules can delete objects. */
export function deletesObjects(rules: ExpiryDryRunBody['expiry']): boolean {
  return rules.some(
    ({ isEnabled, days, date, noncurrentDays, expiresMarkers }) =>
      isEnabled && ((days ?? date ?? noncurrentDays ?? null) !== null || expiresMarkers),
  )
}

/**
 * Adds up the dry runs of all parts of a bucket.
 *
 * @param ask does a dry run from the position that the previous one returned
 * @param onCount receives the sum after each part
 */
export async function countExpired(
  ask: (after: string) => Promise<ExpiryDryRunReply>,
  onCount: (count: ExpiryCount) => void,
): Promise<ExpiryCount> {
  const formerVersions = { count: 0, bytes: 0 }
  let count: ExpiryCount = { objects: 0, bytes: 0, oldest: null, formerVersions, isComplete: false }
  let after = ''
  while (true) {
    const { objects, bytes, oldest, formerVersions: former, next } = await ask(after)
    count = {
      objects: count.objects + objects,
      bytes: count.bytes + bytes,
      oldest: earlier(count.oldest, oldest),
      formerVersions: {
        count: count.formerVersions.count + former.count,
        bytes: count.formerVersions.bytes + former.bytes,
      },
      isComplete: next === null,
    }
    onCount(count)
    if (next === null) return count
    after = next
  }
}

/** ISO 8601 in UTC sorts by time. */
function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}

/** Says what saving the rules deletes. An undefined count: nothing was counted yet. */
export function expiryText(count: ExpiryCount | undefined, nowMs: number): string {
  if (count === undefined || count.objects + count.formerVersions.count === 0) {
    return bucketsTexts.expiry.nothing
  }
  const { objects, bytes, oldest, formerVersions: former, isComplete } = count
  const amounts = [
    ...(objects > 0
      ? [bucketsTexts.expiry.total(bucketsTexts.objects(objects), formatBytes(bytes))]
      : []),
    ...(former.count > 0
      ? [
          bucketsTexts.expiry.total(
            bucketsTexts.formerVersions(former.count),
            formatBytes(former.bytes),
          ),
        ]
      : []),
  ]
  const amount = amounts.reduce(bucketsTexts.and)
  const { deletes, deletesAtLeast } = bucketsTexts.expiry
  const deleted = isComplete ? deletes(amount) : deletesAtLeast(amount)
  if (oldest === null) return deleted
  const atMs = Date.parse(oldest)
  return bucketsTexts.expiry.oldest(deleted, formatAge(atMs, nowMs), formatMoment(atMs))
}
