import type { HttpHandler } from '../http/message.ts'
import { replyHeaders } from '../json-api/json-app.ts'
import { defaultKinds, kindsOfPath } from './listed-kinds.ts'
import type { ModelListOptions } from './model-list-api.ts'
import type { ModelLists } from './model-lists.ts'
import { modelsErrorFormat } from './models-error-format.ts'
import { createKeyCheck } from './models-key.ts'

const prefix = '/v1/models/'

const headers = Object.entries({
  ...replyHeaders,
  ...modelsErrorFormat.headers,
  'content-type': 'application/json; charset=utf-8',
})

/**
 * Answers GET and HEAD of a list with its cached bytes: the way through the app would copy a large
 * list three times. Everything else is left to the app, as are refusals and failures.
 */
export function modelListHandler(
  {
    lists,
    apiKey,
  }: Pick<ModelListOptions, 'apiKey'> & { readonly lists: Pick<ModelLists, 'list'> },
  app: HttpHandler,
): HttpHandler {
  const verdictOn = createKeyCheck(apiKey)
  return async (request) => {
    const { method, rawPath } = request
    const isDefault = rawPath === '/v1/models' || rawPath === prefix
    const name = rawPath.startsWith(prefix) ? rawPath.slice(prefix.length) : ''
    const kinds = isDefault ? defaultKinds : kindsOfPath.get(name)
    const isRead = method === 'GET' || method === 'HEAD'
    if (kinds === undefined || !isRead || verdictOn(request.headers) !== 'right') {
      return app(request)
    }
    const body = await lists.list(kinds).catch(() => undefined)
    if (body === undefined) return app(request)
    return {
      status: 200,
      headers: [['x-request-id', request.id], ...headers],
      body,
      logFields: { operation: isDefault ? 'listModels' : 'retrieveModel' },
    }
  }
}
