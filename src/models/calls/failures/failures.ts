import { fieldOf, parsedJson } from '../../../platform/text/json-text.ts'
import { type AnswerHeaders, askedWaitMs, waitInError } from './asked-wait.ts'
import { type FailureRow, failureRows, rowOf } from './failure-rows.ts'

/** An attempt that failed. */
export interface Failure {
  readonly row: FailureRow
  /** A user-facing message. Never contains text of the upstream. */
  readonly reason: string
  /** The HTTP status of the upstream, or the one for the client if there is none. */
  readonly status: number
  /** The wait that the upstream asks for. */
  readonly waitMs?: number | undefined
  /** Whether it suffices to pause all callers. */
  readonly isCertain: FailureRow['isCertain']
}

/** A failure without an answer. */
export function failureWithout(
  name: 'failed' | 'unreachable' | 'late' | 'stalled',
  status: number,
  reason: string,
): Failure {
  const row = failureRows[name]
  return { row, reason, status, isCertain: row.isCertain }
}

/** Certain only if nothing else is known of the connection: many servers redirect a path that they do not have. */
const redirected: Failure = {
  ...failureWithout(
    'unreachable',
    502,
    'The upstream redirects. Set the base URL of the connection to its final address.',
  ),
  isCertain: 'unused',
}

/** @param body the beginning of the body of an error. @returns undefined for success */
export function failureOfAnswer(
  status: number,
  headers: AnswerHeaders,
  body: string,
  nowMs: number,
): Failure | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status < 400) return redirected
  return failureOf(parsedJson(body), { status, headers, nowMs })
}

/** The failure that an event, or the body of an answer with status 200, reports. @param event parsed */
export function failureOfEvent(event: unknown, nowMs: number): Failure {
  return failureOf(event, { status: statusOf(event), headers: {}, nowMs })
}

function failureOf(
  body: unknown,
  given: { readonly status: number; readonly headers: AnswerHeaders; readonly nowMs: number },
): Failure {
  const { status, headers, nowMs } = given
  const { error, codes, message, param } = errorIn(body)
  const { row, isText } = rowOf({ status, codes, message, param, isPage: body === undefined })
  const waitMs = askedWaitMs(headers, nowMs) ?? waitInError(error, message, nowMs)
  return { row, reason: row.reason, status, waitMs, isCertain: isText ? false : row.isCertain }
}

/** Characters of a message that are compared. */
const maxMessage = 4_096

interface FoundError {
  readonly error: unknown
  readonly codes: readonly string[]
  readonly message: string
  readonly param: string
}

/**
 * The error in a body: `{"error":{…}}`, also in an array (Gemini), in `response` (OpenAI's response.failed), or as text
 * (Ollama; xAI, which adds `code`), `{"object":"error",…}` (Mistral, vLLM), and `{"detail":…}` (FastAPI).
 */
function errorIn(body: unknown): FoundError {
  const outer: unknown = Array.isArray(body) ? body[0] : body
  const error = fieldOf(outer, 'error') ?? fieldOf(fieldOf(outer, 'response'), 'error') ?? outer
  const texts = (holder: unknown, ...names: readonly string[]) =>
    names.flatMap((name) => textOf(fieldOf(holder, name)) ?? [])
  const details = fieldOf(error, 'details')
  const metadata = fieldOf(error, 'metadata')
  return {
    error,
    codes: [
      ...texts(error, 'code', 'type', 'status'),
      ...texts(outer, 'code'),
      ...(Array.isArray(details) ? details : []).flatMap((one) => texts(one, 'reason')),
      ...texts(details, 'error_code'),
      ...(fieldOf(metadata, 'flagged_input') === undefined ? [] : ['flagged_input']),
    ],
    message:
      [error, ...[error, outer].flatMap((one) => texts(one, 'message', 'detail'))]
        .flatMap((one) => textOf(one) ?? [])
        .find((text) => text !== '')
        ?.slice(0, maxMessage) ?? '',
    param: textOf(fieldOf(error, 'param')) ?? '',
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The HTTP statuses of codes and types that come without one; Google's are in google/rpc/code.proto. */
const codesOfStatus = {
  400: 'invalid_request_error context_length_exceeded invalid_prompt INVALID_ARGUMENT',
  401: 'authentication_error invalid_api_key UNAUTHENTICATED',
  402: 'billing_error',
  403: 'permission_error PERMISSION_DENIED',
  404: 'not_found_error model_not_found NOT_FOUND',
  413: 'request_too_large',
  429: 'rate_limit_error rate_limit_exceeded insufficient_quota RESOURCE_EXHAUSTED',
  500: 'server_error',
  503: 'server_is_overloaded slow_down UNAVAILABLE',
  504: 'timeout_error DEADLINE_EXCEEDED',
  529: 'overloaded_error',
}
const statusOfCode: ReadonlyMap<string, number> = new Map(
  Object.entries(codesOfStatus).flatMap(([status, codes]) =>
    codes.split(' ').map((code) => [code, Number(status)] as const),
  ),
)

function statusOf(event: unknown): number {
  const { error, codes } = errorIn(event)
  const given = Number(
    fieldOf(error, 'status') ?? fieldOf(error, 'code') ?? fieldOf(event, 'status'),
  )
  if (Number.isInteger(given) && given >= 400 && given < 600) return given
  return codes.flatMap((code) => statusOfCode.get(code) ?? [])[0] ?? 502
}
