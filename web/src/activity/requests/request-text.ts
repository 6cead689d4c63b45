import type { ActivityStatus } from '../../../../src/dashboard/management/activity-schemas.ts'
import { activityTexts } from '../../texts/activity.ts'

/** The file or bucket that a request was about: `photos/2024/sea.jpg`; '' if there is none. */
export function targetText({ bucket, key }: Pick<ActivityStatus, 'bucket' | 'key'>): string {
  return [bucket, key].filter((part) => part !== null && part !== '').join('/')
}

/** What S3 clients and logs call it: `PutObject, 403 AccessDenied`. */
export function technicalText(
  request: Pick<ActivityStatus, 'method' | 'operation' | 'status' | 'code'>,
): string {
  const { method, operation, status, code } = request
  return [operation ?? method, [status, code].filter(Boolean).join(' ')].filter(Boolean).join(', ')
}

/** Who sent it, as a part of a sentence; empty if that is not known. */
export function authorText({ by, accessKey }: Pick<ActivityStatus, 'by' | 'accessKey'>): string {
  if (by === 'key') return activityTexts.requests.byKey(accessKey ?? '…')
  if (by === null) return ''
  return activityTexts.requests.by[by]
}

/** The number of changes that a busy second leaves out of the list. */
export function moreText(more: number): string | undefined {
  return more === 0 ? undefined : activityTexts.requests.moreChanges(more)
}

const minuteMs = 60_000
const spanMs: Readonly<Record<string, number>> = { hour: 60 * minuteMs, day: 24 * 60 * minuteMs }

/** The start of a span that ends now, rounded down to the minute so that the query stays the same for a while. */
export function beginningOf(span: string, nowMs: number): string | undefined {
  const ms = spanMs[span]
  if (ms === undefined) return undefined
  return new Date(Math.floor((nowMs - ms) / minuteMs) * minuteMs).toISOString()
}
