import type { ActivityStatus } from '../../../../src/dashboard/management/activity-schemas.ts'
import { formatAmount } from '../../format/bytes.ts'

/** What a request was about: "PutObject photos/2024/sea.jpg", "GET photos". */
export function requestTarget(
  request: Pick<ActivityStatus, 'method' | 'operation' | 'bucket' | 'key'>,
): { readonly operation: string; readonly target: string } {
  const { method, operation, bucket, key } = request
  const target = [bucket, key].filter((part) => part !== null).join('/')
  return { operation: operation ?? method, target }
}

/** Who sent it, as a part of a sentence; empty if that is not known. */
export function authorText({ by, accessKey }: Pick<ActivityStatus, 'by' | 'accessKey'>): string {
  if (by === 'key') return `by ${accessKey ?? 'an access key'}`
  if (by === null) return ''
  return { owner: 'by ACCESS_KEY', anyone: 'unsigned', dashboard: 'in the dashboard' }[by]
}

/** The number of changes that a busy second leaves out of the list. */
export function moreText(more: number): string | undefined {
  return more === 0 ? undefined : `${formatAmount(more, 'more change')} in this second`
}

const minuteMs = 60_000
const spanMs: Readonly<Record<string, number>> = { hour: 60 * minuteMs, day: 24 * 60 * minuteMs }

/** The start of a span that ends now, rounded down to the minute so that the query stays the same for a while. */
export function beginningOf(span: string, nowMs: number): string | undefined {
  const ms = spanMs[span]
  if (ms === undefined) return undefined
  return new Date(Math.floor((nowMs - ms) / minuteMs) * minuteMs).toISOString()
}
