import { frameTexts } from '../texts/frame.ts'
import { shownMessage } from './shown-message.ts'

/** An error response of the service; status 0 if the service could not be reached. */
export class ApiError extends Error {
  readonly status: number
  /** The JSON path of the invalid field. */
  readonly field: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** The error code of a model call. */
  readonly code: string | undefined

  constructor(message: string, details: ApiErrorDetails, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ApiError'
    this.status = details.status
    this.field = details.field
    this.retryAfterSeconds = details.retryAfterSeconds
    this.code = details.code
  }
}

interface ApiErrorDetails {
  readonly status: number
  readonly field?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly code?: string | undefined
}

/** The parts of a reply that an error needs. */
interface RefusedReply {
  readonly status: number
  readonly headers: { get(name: string): string | null }
}

/** @param body the parsed JSON; undefined if the body was not JSON, such as the page of a proxy. */
export function toApiError(reply: RefusedReply, body: unknown): ApiError {
  const { message, field, code } = fieldsOf(body)
  const shown =
    message === undefined ? frameTexts.serviceStatus(reply.status) : shownMessage(message)
  return new ApiError(shown, {
    status: reply.status,
    field,
    code,
    retryAfterSeconds: seconds(reply.headers.get('retry-after')),
  })
}

/** The error for a request without a response. */
export function unreachable(cause: unknown): ApiError {
  return new ApiError(frameTexts.serviceSilent, { status: 0 }, { cause })
}

/** Reads the service's own error format, or the `error` object of model providers. */
function fieldsOf(body: unknown): { message?: string; field?: string; code?: string } {
  if (typeof body !== 'object' || body === null) return {}
  const { message, field, code, error } = body as Record<string, unknown>
  if (typeof error === 'object' && error !== null) return fieldsOf({ ...error, error: undefined })
  return {
    ...(typeof message === 'string' && message !== '' && { message }),
    ...(typeof field === 'string' && { field }),
    ...(typeof code === 'string' && { code }),
  }
}

/** RFC 9110 section 10.2.3; the service always sends seconds. */
function seconds(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined
}
