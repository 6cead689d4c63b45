import type { FailureStatus } from '../../../../src/console/management/replies.ts'
import { failureTarget } from './failure-target.ts'

/** The failures whose shown fields contain every word of the text, ignoring case. */
export function matchingFailures(
  failures: readonly FailureStatus[],
  text: string,
): readonly FailureStatus[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return failures
  return failures.filter((failure) => {
    const { status, code, reason, remoteAddress, requestId } = failure
    const shown = [status, code, failureTarget(failure), reason, remoteAddress, requestId]
    const line = shown.join(' ').toLowerCase()
    return words.every((word) => line.includes(word))
  })
}
