import type { FailureStatus } from '../../../../src/console/management/replies.ts'

/** The target of a failed request: "PutObject photos/2024/sea.jpg", "GET photos". */
export function failureTarget(
  failure: Pick<FailureStatus, 'method' | 'operation' | 'bucket' | 'key'>,
): string {
  const { method, operation, bucket, key } = failure
  const target = [bucket, key].filter((part) => part !== null).join('/')
  return `${operation ?? method} ${target}`.trimEnd()
}

/** The shown fields of a failed request, to filter by. */
export function failureText(failure: FailureStatus): string {
  const { status, code, reason, remoteAddress, requestId } = failure
  return [status, code, failureTarget(failure), reason, remoteAddress, requestId].join(' ')
}
