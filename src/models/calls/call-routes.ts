import { z } from 'zod'
import type { HttpRequest } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
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
const preflightHeaders = (methods: readonly string[]) => ({
  'access-control-allow-methods': [...methods, 'OPTIONS'].join(', '),
  // `*` does not stand for Authorization (Fetch standard, "CORS-preflight fetch").
  'access-control-allow-headers': 'authorization, *',
})

const body = z
  .looseObject({ model: z.string().meta({ description: 'An id of the model list.' }) })
  .meta({ description: 'As the provider documents it. Only the model is replaced.' })

const storedParams = z.object({ id: z.string().meta({ description: 'The ID of a response.' }) })

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
    const methods = Map.groupBy(callPaths, ({ path }) => path)
    return [
      ...routesBelow(prefix, common, [...routes, upgradeRoute]),
      ...Array.from(methods, ([path, served]) =>
        preflight(prefix + path, preflightHeaders(served.map(({ method = 'POST' }) => method))),
      ),
      ...routesBelow(prefix, { errorSchema: listError }, misplacedRoutes(prefix)),
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
    const isStored = path.body === 'none'
    return route<{ id?: string }, unknown, unknown, object>({
      ...{ method: path.method ?? 'POST', path: path.path, operationId, summary },
      ...(isStored ? { params: storedParams, bodyType: 'ignored' } : { body, bodyType: 'unread' }),
      reply: z.looseObject({}).meta({ description: "The upstream's answer, unchanged." }),
      errors,
      answer: async ({ request, params }) =>
        new PassedReply(await calls.call(request, path, callerOf(request), params?.id)),
    })
  }
}

/**
 * Codex tries a WebSocket first. It uses HTTP at once only after this status (openai/codex pull request 10824); RFC 9110
 * section 15.5.22 wants the field Upgrade.
 */
const upgradeRoute = route({
  method: 'GET',
  path: '/responses',
  operationId: 'connectResponses',
  summary: 'Refuses WebSockets',
  isHidden: true,
  async answer({ request: { headers } }) {
    if (headers.upgrade === undefined) {
      throw new ApiError(405, 'The method GET is not allowed here.', {
        headers: { allow: 'OPTIONS, POST' },
      })
    }
    const message = 'There are no WebSockets here. Send POST /v1/responses.'
    throw new ApiError(426, message, { headers: { upgrade: 'HTTP/1.1' } })
  },
})

/** Paths of OpenAI's API that name no model, and whose objects belong to one account. */
const accountPaths = ['/files', '/batches', '/uploads', '/conversations', '/vector_stores'] as const

const belowPath = z.object({ rest: z.string().optional() })

/** What is not served, and what to do instead. */
function misplacedRoutes(prefix: string): readonly Route[] {
  const doubled = 'The path has /v1 twice.'
  const bases =
    "The base URL of OpenAI's SDKs ends in /v1 once, that of Anthropic's SDKs and of Claude Code has no /v1."
  const refusals = [
    ['/v1/{rest+}', (rest: string) => `${doubled} Use ${prefix}/${rest}. ${bases}`],
    ...accountPaths.flatMap((path) => {
      const message = () =>
        `${prefix}${path} is not forwarded: it names no model, and what it stores belongs to one account. Send it to the provider, with a key of its own.`
      return [[path, message] as const, [`${path}/{rest+}`, message] as const]
    }),
  ] as const
  return refusals.flatMap(([path, messageOf]) =>
    (['GET', 'POST', 'DELETE'] as const).map((method) =>
      route({
        ...{ method, path, operationId: 'refuseModelPath', summary: 'Says what to use instead' },
        ...{ isHidden: true, params: belowPath, bodyType: 'ignored' },
        async answer({ params: { rest = '' } }) {
          throw new ApiError(404, messageOf(rest), { code: 'unsupported_path' })
        },
      }),
    ),
  )
}
