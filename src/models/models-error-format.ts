import type { ApiError } from '../json-api/api-error.ts'
import type { ErrorFormat } from '../json-api/error-format.ts'

/**
 * The response format below /v1: readable for pages of any origin, including errors, which have
 * OpenAI's format (docs/contract/model-list.md, "Model list errors").
 */
export const modelsErrorFormat: ErrorFormat = {
  prefix: '/v1',
  headers: { 'access-control-allow-origin': '*' },
  errorBody: (error) => {
    const { message, code } = error
    const type = errorType(error)
    return { error: code === undefined ? { message, type } : { message, type, code } }
  },
}

function errorType({ status }: ApiError): string {
  if (status === 401) return 'authentication_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}
