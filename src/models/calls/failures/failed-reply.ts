import type { HttpReply } from '../../../platform/http/message.ts'
import { ApiError } from '../../../platform/json-api/api-error.ts'
import type { CallTarget } from '../../list/resolve-model.ts'
import { quoted } from '../call-index.ts'
import { passedError, UpstreamKeys } from '../passed-answer.ts'
import type { AttemptedCall } from '../target-attempts.ts'
import type { FailedAttempt, RemainingTargets } from './remaining-targets.ts'

type Fields = Readonly<Record<string, string>>

/**
 * What the client gets if no target has answered.
 *
 * @throws ApiError unless an upstream's own answer is passed on
 */
export function failedReply(
  left: RemainingTargets,
  { path, body: { model }, release }: Pick<AttemptedCall, 'path' | 'body' | 'release'>,
  targets: readonly CallTarget[],
): HttpReply {
  const attempts = { 'x-bucketry-attempts': String(left.attempts) }
  if (left.failed === undefined) throw allPaused(model, left, attempts)
  const { failure, answer } = left.failed
  const { row, reason, status } = failure
  const own = row.answer
  const headers = { ...attempts, ...retryAfter(own?.status ?? status, left, left.failed) }
  if (own !== undefined) {
    const where = own.status === 404 ? ` POST ${path.path}` : ''
    const message = `${reason.slice(0, -1)}${where}.`
    throw new ApiError(own.status, message, { headers, code: own.code })
  }
  if (answer === undefined || isEncoded(answer.headers)) {
    throw new ApiError(status, reason, { headers })
  }
  release()
  return passedError(answer, { model, headers, keys: new UpstreamKeys(targets) })
}

/** Claude Code gives up if it should wait longer (teamclaude-rs 313), and Codex waits without a word. */
const maxToldSeconds = 60

/**
 * Only with an answer that says `try again`, and if a wait is known: all targets are paused, or the upstream asks for it.
 * An account without credit has none by then.
 */
function retryAfter(
  status: number,
  { waitMs }: RemainingTargets,
  { failure }: FailedAttempt,
): Fields {
  const isTold = status >= 500 || status === 408 || status === 409 || status === 429
  const knownMs = waitMs > 0 ? waitMs : (failure.waitMs ?? 0)
  if (!isTold || knownMs === 0 || failure.row.name === 'money') return {}
  return { 'retry-after': toldSeconds(knownMs) }
}

function toldSeconds(waitMs: number): string {
  return String(Math.min(maxToldSeconds, Math.ceil(waitMs / 1_000)))
}

/** Whether an answer is encoded although the call asked for identity. It could contain a key. */
function isEncoded(headers: Readonly<Record<string, unknown>>): boolean {
  return headers['content-encoding'] !== undefined
}

/** The error if no target is called because all of them are paused. */
function allPaused(
  model: string,
  { paused, waitMs }: RemainingTargets,
  attempts: Fields,
): ApiError {
  const message = `All connections for model ${quoted(model)} are paused after failures. ${paused[0]?.reason ?? ''}`
  const isOutOfMoney = paused.every(({ row }) => row.name === 'money')
  const headers = isOutOfMoney ? attempts : { ...attempts, 'retry-after': toldSeconds(waitMs) }
  const isQuota = paused.some(({ scope }) => scope === 'quota')
  const code = isOutOfMoney ? 'insufficient_quota' : undefined
  return new ApiError(isQuota ? 429 : 503, message, { headers, code })
}
