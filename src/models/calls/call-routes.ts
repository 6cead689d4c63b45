import { z } from 'zod'
import type { HttpRequest } from '../../platform/http/message.ts'
import {
  type Access,
  PassedReply,
  type Route,
  route,
  routesBelow,
} from '../../platform/json-api/route.ts'
import { listError } from '../list/list-schemas.ts'
import { preflight } from '../list/model-list-api.ts'
import { modelPrefixes, triesPath } from '../list/models-error-format.ts'
import { type CallAccess, type Caller, dashboardCaller } from './call-access.ts'
import { type CallPath, callPaths } from './call-paths.ts'
import type { ModelCalls } from './model-calls.ts'

interface CallRoutesParts {
  readonly calls: Pick<ModelCalls, 'call'>
  readonly callAccess: Pick<CallAccess, 'admit' | 'of'>
  /** Admits requests with a valid session. */
  readonly session: Access
}

/** The paths below `triesPath`, with which the dashboard tries models. */
const tried: Readonly<Record<string, string>> = {
  '/chat/completions': 'tryChatCompletion',
  '/messages': 'tryMessage',
}

/** For preflights: pages of any origin may call models, with a key. */
const preflightHeaders = {
  'access-control-allow-methods': 'POST, OPTIONS',
  // `*` does not stand for Authorization (Fetch standard, "CORS-preflight fetch").
  'access-control-allow-headers': 'authorization, *',
}

const body = z
  .looseObject({ model: z.string().meta({ description: 'An id of the model list.' }) })
  .meta({ description: 'As the provider documents it. Only the model is replaced.' })

const errors = {
  401: 'No valid key. Without MODELS_API_KEY and model keys, calls are off.',
  404: 'The model does not exist, or the upstream does not have it.',
  429: 'A limit of the key, or of all upstreams, is reached. Retry-After says when to retry.',
}

/** The paths that call models (docs/calling-models.md). */
export function callRoutes({ calls, callAccess, session }: CallRoutesParts): readonly Route[] {
  const access: Access = {
    security: [{ modelsKey: [] }, { modelsKeyHeader: [] }],
    knowsClients: true,
    admit: callAccess.admit,
  }
  const common = { tag: 'models', access, errorSchema: listError }
  return [
    ...modelPrefixes.flatMap(served),
    ...routesBelow(triesPath, { tag: 'calls', access: session, errorSchema: listError }, tries()),
  ]

  /** The OpenAPI document has the paths once. */
  function served(prefix: string): readonly Route[] {
    const described =
      prefix === '/v1' ? { description: 'Also below `/ai/v1`.' } : { isHidden: true }
    const routes = callPaths.map((path) => {
      return { ...callRoute(path, (request) => callAccess.of(request)), ...described }
    })
    return [
      ...routesBelow(prefix, common, routes),
      ...callPaths.map(({ path }) => preflight(prefix + path, preflightHeaders)),
    ]
  }

  /** The same calls with a session, so that the browser needs no key. They send no CORS fields to other origins. */
  function tries(): readonly Route[] {
    return callPaths.flatMap((path) => {
      const operationId = tried[path.path]
      if (operationId === undefined) return []
      const summary = `${path.summary}, with a session of the dashboard`
      return callRoute(path, () => dashboardCaller, { operationId, summary })
    })
  }

  function callRoute(
    path: CallPath,
    callerOf: (request: HttpRequest) => Caller,
    { operationId, summary }: Pick<CallPath, 'operationId' | 'summary'> = path,
  ): Route {
    return route({
      method: 'POST',
      ...{ path: path.path, operationId, summary, body },
      bodyType: 'unread',
      reply: z.looseObject({}).meta({ description: "The upstream's answer, unchanged." }),
      errors,
      answer: async ({ request }) =>
        new PassedReply(await calls.call(request, path, callerOf(request))),
    })
  }
}
