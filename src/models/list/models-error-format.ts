import type { ApiError, ErrorFormat } from '../../platform/json-api/api-error.ts'

/** The paths of the APIs of models: the contract's, and the one for applications (docs/calling-models.md). */
export const modelPrefixes = ['/v1', '/ai/v1'] as const

/**
 * The response format of models: readable for pages of any origin, including errors, which have
 * OpenAI's format (docs/contract/model-list.md, "Model list errors").
 */
const openAiErrorFormat: Omit<ErrorFormat, 'prefix'> = {
  headers: { 'access-control-allow-origin': '*' },
  errorBody: (error) => {
    const { message, code } = error
    const type = errorType(error)
    return { error: code === undefined ? { message, type } : { message, type, code } }
  },
}

/** The dashboard calls models below this path. */
export const triesPath = '/-/api/calls'

/** Anthropic's types of errors (https://docs.anthropic.com/en/api/errors). */
const anthropicTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
}

/** For the paths of Anthropic's API. */
const anthropicErrorFormat: Omit<ErrorFormat, 'prefix'> = {
  headers: { 'access-control-allow-origin': '*' },
  errorBody({ status, message }) {
    const type = anthropicTypes[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
    return { type: 'error', error: { type, message } }
  },
}

/** Only for the dashboard: pages of other origins must not read it. */
const triesErrorFormats: readonly ErrorFormat[] = ['/chat', '/messages'].map((path) => {
  return { prefix: triesPath + path, errorBody: openAiErrorFormat.errorBody }
})

/** The formats of the paths of models and of the dashboard's calls. The first one with a matching path is used. */
export const modelsErrorFormats: readonly ErrorFormat[] = [
  ...modelPrefixes.map((prefix) => ({ prefix: `${prefix}/messages`, ...anthropicErrorFormat })),
  { prefix: '/ai/v1/models', withHeader: 'anthropic-version', ...anthropicErrorFormat },
  ...['/v1', '/ai'].map((prefix) => ({ prefix, ...openAiErrorFormat })),
  ...triesErrorFormats,
]

function errorType({ status }: ApiError): string {
  if (status === 401) return 'authentication_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}
