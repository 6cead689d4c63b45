/** Why signing in did not work. */
export type Problem =
  | { readonly kind: 'wrong'; readonly message: string }
  | { readonly kind: 'locked'; readonly untilMs: number }
  | { readonly kind: 'off' }
  | { readonly kind: 'failed'; readonly message: string }

/** What is known of the refusal, in the words of ApiError. */
interface Refusal {
  readonly status: number
  readonly message: string
  readonly retryAfterSeconds: number | undefined
}

/** Should Retry-After be missing: a proxy in between may limit too. */
const assumedWaitSeconds = 60

/** @param isOff whether the service has no password at all, which is 503 as a failing store is. */
export function problemOf(refusal: Refusal, isOff: boolean, nowMs: number): Problem {
  const { status, message, retryAfterSeconds = assumedWaitSeconds } = refusal
  if (isOff) return { kind: 'off' }
  if (status === 401) return { kind: 'wrong', message }
  if (status === 429) return { kind: 'locked', untilMs: nowMs + retryAfterSeconds * 1_000 }
  return { kind: 'failed', message }
}
