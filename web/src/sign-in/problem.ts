import { frameTexts } from '../texts/frame.ts'

/** Why sign-in failed. */
export type Problem =
  | { readonly kind: 'wrong'; readonly message: string }
  | { readonly kind: 'locked'; readonly untilMs: number }
  | { readonly kind: 'off' }
  | { readonly kind: 'failed'; readonly message: string }

/** The fields of ApiError that matter here. */
interface Refusal {
  readonly status: number
  readonly message: string
  readonly retryAfterSeconds: number | undefined
}

/** Used without Retry-After: a proxy may also limit requests. */
const assumedWaitSeconds = 60

/** @param isOff whether no password is set, which is a 503 like a failing store. */
export function problemOf(refusal: Refusal, isOff: boolean, nowMs: number): Problem {
  const { status, message, retryAfterSeconds = assumedWaitSeconds } = refusal
  if (isOff) return { kind: 'off' }
  if (status === 401) return { kind: 'wrong', message: frameTexts.signIn.wrong }
  if (status === 429) return { kind: 'locked', untilMs: nowMs + retryAfterSeconds * 1_000 }
  return { kind: 'failed', message }
}
