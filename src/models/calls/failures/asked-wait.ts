import { retryAfterMs } from '../../../platform/process/back-off.ts'
import { fieldOf } from '../../../platform/text/json-text.ts'

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Limits that have a header for what is left and one for when there is more. */
const resets = [
  ['x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  ['x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
  ['anthropic-ratelimit-requests-remaining', 'anthropic-ratelimit-requests-reset'],
  ['anthropic-ratelimit-tokens-remaining', 'anthropic-ratelimit-tokens-reset'],
  ['x-ratelimit-remaining', 'x-ratelimit-reset'],
] as const

/** The wait that an upstream asks for: Retry-After, or the reset of an exhausted limit. */
export function askedWaitMs(headers: AnswerHeaders, nowMs: number): number | undefined {
  const text = (name: string) => [headers[name] ?? []].flat()[0]
  const milliseconds = Number(text('retry-after-ms') ?? Number.NaN)
  const exact = milliseconds > 0 ? milliseconds : undefined
  const asked = exact ?? retryAfterMs(text('retry-after'), nowMs)
  const waits = resets
    .filter(([left]) => text(left) === '0')
    .flatMap(([, reset]) => resetMs(text(reset), nowMs) ?? [])
  const waitMs = asked ?? (waits.length === 0 ? undefined : Math.max(...waits))
  return waitMs === undefined ? undefined : Math.max(0, waitMs)
}

/** OpenAI and Groq: "try again in 1m26.4s"; Azure: "retry after 8 seconds". */
const waitInText =
  /\b(?:try again|retry) (?:in|after) (\d{1,9}(?= seconds?\b)|(?:\d{1,9}h)?(?:\d{1,9}m(?!s))?(?:\d{1,9}(?:\.\d{1,9})?s|\d{1,9}ms)?)/i
/** Anthropic's spending limit. */
const dateInText = /regain access on (\d{4}-\d\d-\d\d)(?: at (\d\d:\d\d) UTC)?/i

/** The wait that the body of an error asks for. @param error the object in its field `error` */
export function waitInError(error: unknown, message: string, nowMs: number): number | undefined {
  // Google's RetryInfo (google/rpc/error_details.proto).
  const details = fieldOf(error, 'details')
  for (const one of Array.isArray(details) ? details : []) {
    const delay = fieldOf(one, 'retryDelay')
    if (typeof delay === 'string') return resetMs(delay, nowMs)
  }
  // OpenRouter quotes the header fields of its own answer.
  const quoted = fieldOf(fieldOf(error, 'metadata'), 'headers')
  if (typeof quoted === 'object' && quoted !== null) {
    const fields = Object.entries(quoted).map(([name, value]) => [name.toLowerCase(), `${value}`])
    const waitMs = askedWaitMs(Object.fromEntries(fields) as AnswerHeaders, nowMs)
    if (waitMs !== undefined) return waitMs
  }
  const [, date, time = '00:00'] = dateInText.exec(message) ?? []
  if (date !== undefined) return Math.max(0, Date.parse(`${date}T${time}Z`) - nowMs) || undefined
  return resetMs(waitInText.exec(message)?.[1], nowMs)
}

const duration = /^(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,9})ms)?$/

/** `1m30s`, seconds, a date, or a time since the epoch in seconds or milliseconds. */
function resetMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined || text === '') return undefined
  const number = Number(text)
  if (number >= 1e12) return number - nowMs
  if (number >= 1e9) return number * 1_000 - nowMs
  if (number >= 0) return number * 1_000
  const [, h, m, s, ms] = duration.exec(text) ?? []
  if ((h ?? m ?? s ?? ms) !== undefined) {
    return (
      Number(h ?? 0) * 3_600_000 +
      Number(m ?? 0) * 60_000 +
      Number(s ?? 0) * 1_000 +
      Number(ms ?? 0)
    )
  }
  return retryAfterMs(text, nowMs)
}
