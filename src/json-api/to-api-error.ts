import { BodyError, type BodyFailure } from '../http/read-body.ts'
import { ApiError } from './api-error.ts'

/** Messages for the errors of Fastify that a client can cause. */
const refusals: Readonly<Record<string, readonly [status: number, message: string]>> = {
  FST_ERR_CTP_EMPTY_JSON_BODY: [400, 'The body is empty; expected JSON.'],
  FST_ERR_CTP_INVALID_JSON_BODY: [400, 'The body is not valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'The length of the body differs from Content-Length.'],
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'The body is too large.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'The body must be application/json.'],
  FST_ERR_BAD_URL: [400, 'The path has an invalid percent escape.'],
  FST_ERR_MAX_PARAM_LENGTH: [414, 'The path is too long.'],
}

const failure = [500, 'Internal error; see the log of the service.'] as const

const bodyRefusals: Readonly<Record<BodyFailure, readonly [status: number, message: string]>> = {
  gone: [400, 'The connection ended before the end of the body.'],
  idle: [408, 'The body did not arrive in time.'],
  late: [408, 'The body did not arrive in time.'],
}

/** The reply for an error. An unexpected error reveals no details. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const [status, message] =
    error instanceof BodyError ? bodyRefusals[error.kind] : (refusals[codeOf(error)] ?? failure)
  return new ApiError(status, message, { cause: error })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
