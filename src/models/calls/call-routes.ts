import { z } from 'zod'
import { type Access, PassedReply, type Route, route, routesBelow } from '../../json-api/route.ts'
import { listError } from '../list-schemas.ts'
import { preflight } from '../preflight.ts'
import { type CallPath, callPaths } from './call-paths.ts'
import type { Callers } from './callers.ts'
import type { ModelCalls } from './model-calls.ts'

interface CallRoutesParts {
  readonly calls: Pick<ModelCalls, 'call'>
  readonly callers: Pick<Callers, 'admit' | 'of'>
}

/** Of a preflight. Pages of any origin may call, with a key. */
const preflightHeaders = {
  'access-control-allow-methods': 'POST, OPTIONS',
  // `*` does not stand for Authorization (Fetch standard, "CORS-preflight fetch").
  'access-control-allow-headers': 'authorization, *',
}

const body = z
  .looseObject({ model: z.string().meta({ description: 'An id of the model list.' }) })
  .meta({ description: 'As the provider documents it. Only the model is replaced.' })

const errors = {
  401: 'No valid key. Without MODELS_API_KEY and model keys, nobody may call.',
  404: 'The model does not exist, or its upstream does not have it.',
  429: 'A limit of the key, or of every upstream. Retry-After says when to retry.',
}

/** The paths that call models (docs/calling-models.md). */
export function callRoutes({ calls, callers }: CallRoutesParts): readonly Route[] {
  const access: Access = {
    security: [{ modelsKey: [] }, { modelsKeyHeader: [] }],
    knowsClients: true,
    admit: callers.admit,
  }
  const common = { tag: 'models', access, errorSchema: listError }
  return [
    ...routesBelow('/v1', common, callPaths.map(routeOf)),
    ...callPaths.map(({ path }) => preflight(`/v1${path}`, preflightHeaders)),
  ]

  function routeOf(path: CallPath): Route {
    return route({
      method: 'POST',
      path: path.path,
      operationId: path.operationId,
      summary: path.summary,
      body,
      bodyType: 'unread',
      reply: z.looseObject({}).meta({ description: "The upstream's answer, as it came." }),
      errors,
      answer: async ({ request }) =>
        new PassedReply(await calls.call(request, path, callers.of(request))),
    })
  }
}
