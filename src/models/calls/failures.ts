import { type BackOff, retryAfterMs } from '../../platform/process/back-off.ts'
import { fieldOf, parsedJson } from '../../platform/text/json-text.ts'

/** What a failed attempt is about. */
export type Scope = 'request' | 'model' | 'quota' | 'connection' | 'moment'

/** An attempt that failed. */
export interface Failure {
  readonly scope: Scope
  /** A user-facing message. Never contains text of the upstream. */
  readonly reason: string
  /** The HTTP status of the upstream, or the one for the client if there is none. */
  readonly status: number
  /** The wait that the upstream asks for. */
  readonly waitMs?: number | undefined
}

/** What happens after a failure. */
export interface Consequence {
  /** Whether the next target is tried. */
  readonly triesNext: boolean
  /** What is paused: `pair`, this model of this connection; `path`, the pair on this path; or the whole connection. */
  readonly pauses: 'nothing' | 'pair' | 'path' | 'connection'
  /** The length of the pause unless the upstream asks for another. */
  readonly backOff: BackOff
  /** The longest pause that an upstream can ask for; 0: what it asks for is ignored. */
  readonly maxAskedMs: number
  /** Whether the answer is about the request. Such an answer is preferred to later ones. */
  readonly isAboutRequest: boolean
}

const minuteMs = 60_000
const dayMs = 1_440 * minuteMs
const none: BackOff = { firstMs: 0, longestMs: 0 }

/** What follows from each failure; docs/calling-models.md has this table. */
export const consequences: Readonly<Record<Scope, Consequence>> = {
  // A bad parameter is bad everywhere: trying all accounts would only turn its error into a 429.
  request: {
    ...{ triesNext: false, pauses: 'nothing', backOff: none },
    ...{ maxAskedMs: 0, isAboutRequest: true },
  },
  // Only on this path: an upstream may have the model for chats only, or not know the path.
  model: {
    ...{
      triesNext: true,
      pauses: 'path',
      backOff: { firstMs: 10 * minuteMs, longestMs: 10 * minuteMs },
    },
    ...{ maxAskedMs: 0, isAboutRequest: true },
  },
  quota: {
    ...{ triesNext: true, pauses: 'pair', backOff: { firstMs: 2_000, longestMs: minuteMs } },
    ...{ maxAskedMs: dayMs, isAboutRequest: false },
  },
  connection: {
    ...{
      triesNext: true,
      pauses: 'connection',
      backOff: { firstMs: 2_000, longestMs: 5 * minuteMs },
    },
    ...{ maxAskedMs: 0, isAboutRequest: false },
  },
  moment: {
    ...{ triesNext: true, pauses: 'pair', backOff: { firstMs: 2_000, longestMs: 10_000 } },
    ...{ maxAskedMs: minuteMs, isAboutRequest: false },
  },
}

/** Statuses with their own scope; 401, 402 and 403 are about the account. */
const scopeOfStatus: Readonly<Record<number, Scope>> = {
  401: 'connection',
  402: 'connection',
  403: 'connection',
  404: 'model',
  408: 'moment',
  429: 'quota',
  529: 'quota',
}

const reasonOf: Readonly<Record<Scope, string>> = {
  request: 'The upstream refused the request.',
  model: 'The upstream does not have the model.',
  quota: 'The upstream has no quota left for the model, or is overloaded.',
  connection: 'The upstream refused the key of the connection.',
  moment: 'The upstream failed.',
}

/** Error codes of upstreams that do not have the model, or not for this path. */
const modelCode =
  /^(?:model_not_found|model_not_supported|model_not_available|unsupported_model|unknown_model|invalid_model|deployment_?notfound)$/i

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/** @param body the beginning of the body of an error. @returns undefined for success */
export function failureOfAnswer(
  status: number,
  headers: AnswerHeaders,
  body: string,
  nowMs: number,
): Failure | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status < 400) return { scope: 'connection', reason: redirected, status: 502 }
  const scope = scopeOf(status, codeOf(parsedJson(body)))
  return { scope, reason: reasonOf[scope], status, waitMs: askedWaitMs(headers, nowMs) }
}

const redirected =
  'The upstream redirects. Set the base URL of the connection to its final address.'

function scopeOf(status: number, code: string): Scope {
  const known = scopeOfStatus[status]
  // OpenAI says model_not_found with 403 to a project that may not use the model.
  const isOfModel = status >= 400 && status < 500 && modelCode.test(code)
  if (isOfModel && status !== 401 && known !== 'quota') return 'model'
  if (known !== undefined) return known
  return status >= 500 ? 'moment' : 'request'
}

const statusOfType: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  invalid_request_error: 400,
}

/** The failure that the first event of a stream reports. @param event its data, parsed */
export function failureOfEvent(event: unknown): Failure {
  const error = fieldOf(event, 'error') ?? event
  const code = codeOf(event)
  const type = fieldOf(error, 'type')
  const given = Number(fieldOf(error, 'status') ?? fieldOf(error, 'code'))
  const isStatus = Number.isInteger(given) && given >= 400 && given < 600
  const known = statusOfType[code] ?? (typeof type === 'string' ? statusOfType[type] : undefined)
  const status = isStatus ? given : (known ?? (modelCode.test(code) ? 404 : 502))
  const scope = scopeOf(status, code)
  return { scope, reason: reasonOf[scope], status }
}

/** `error.code` of OpenAI's form; Anthropic's has only a type. */
function codeOf(body: unknown): string {
  const code = fieldOf(fieldOf(body, 'error') ?? body, 'code')
  return typeof code === 'string' ? code : ''
}

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
