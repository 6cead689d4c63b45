import type { IncomingMessage, ServerResponse } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchemaCompiler,
  type FastifyServerOptions,
  type RawServerDefault,
} from 'fastify'
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ApiError } from './api-error.ts'
import { enteredRequest } from './entry.ts'
import { type ErrorFormat, errorFormatOf } from './error-format.ts'
import { RouteTable } from './route-table.ts'
import { schemaMistake } from './schema-mistake.ts'
import { toApiError } from './to-api-error.ts'

/** A Fastify app with zod schemas. The protocols are its plugins. */
export type JsonApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>

export interface JsonAppOptions {
  /** Error formats other than `{"message", "field"?}`. */
  readonly errorFormats?: readonly ErrorFormat[]
  /** Converts errors of the layers below into replies, with them as cause. Undefined: 500. */
  readonly translate?: (error: unknown) => ApiError | undefined
  /** Gets the cause of every 5xx reply, which the client does not see. */
  readonly onFailure?: (error: unknown, requestId: string) => void
}

/** Bytes. Routes with larger bodies set their own `bodyLimit`. */
const bodyLimit = 1024 * 1024

/** The longest part of a path is a model id. */
const maxParamLength = 1024

/** On every reply unless a route overrides it: no reply may be cached. */
export const replyHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const

/**
 * The app of all JSON protocols: zod validates requests and serializes replies, and one handler
 * formats every error as its path requires. It never listens: bridge.ts connects it.
 */
export function createJsonApp(options: JsonAppOptions = {}): JsonApp {
  const routes = new RouteTable()
  const render = errorRenderer(options)
  const serverOptions: FastifyServerOptions = {
    bodyLimit,
    routerOptions: { maxParamLength },
    exposeHeadRoutes: true,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    rewriteUrl: (raw) => enteredRequest()?.target ?? raw.url ?? '/',
    genReqId: () => enteredRequest()?.request.id ?? '',
    frameworkErrors: (error, request, reply) => void render(error, request, reply),
    schemaController: { compilersFactory },
  }
  const app = Fastify(serverOptions).withTypeProvider<ZodTypeProvider>()
  app.removeContentTypeParser('text/plain')
  app.setErrorHandler(render)
  app.addHook('onRoute', ({ url, method }) => routes.add(url, [method].flat()))
  app.addHook('onRequest', async (request, reply) => {
    reply
      .headers(replyHeaders)
      .headers(errorFormatOf(options.errorFormats ?? [], request.url).headers ?? {})
    if (request.is404) throw notServed(request, routes)
    const entered = enteredRequest()
    if (entered !== undefined) entered.operation = operationOf(request)
  })
  return app
}

const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema }) =>
  (data: unknown) => {
    const result = z.safeParse(schema, data)
    return result.success ? { value: result.data } : { error: schemaMistake(result.error) }
  }

/**
 * Passed at creation, so that Fastify does not load ajv and a hundred other modules. The type of the
 * option allows only ajv's schemas.
 */
const compilersFactory = {
  buildValidator: () => validatorCompiler,
  buildSerializer: () => serializerCompiler,
} as unknown as NonNullable<FastifyServerOptions['schemaController']>['compilersFactory'] & object

type Render = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply

function errorRenderer({ errorFormats = [], translate, onFailure }: JsonAppOptions): Render {
  return (error, request, reply) => {
    const entered = enteredRequest()
    const refusal = translate?.(error) ?? toApiError(error)
    const isGone = isAbort(error) && entered?.request.signal.aborted === true
    if (refusal.cause !== undefined && refusal.status >= 500 && !isGone) {
      onFailure?.(refusal.cause, request.id)
    }
    const errorFormat = errorFormatOf(errorFormats, request.url)
    if (entered !== undefined) {
      entered.code = refusal.code
      entered.reason = refusal.message
    }
    return reply
      .code(refusal.status)
      .headers({ ...replyHeaders, ...errorFormat.headers, ...refusal.headers })
      .type('application/json; charset=utf-8')
      .serializer(JSON.stringify)
      .send(errorFormat.errorBody(refusal))
  }
}

/** The client disconnected: nothing failed, and the reply is never read. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

function notServed({ method, url }: FastifyRequest, routes: RouteTable): ApiError {
  const allowed = routes.methodsOf(url)
  if (allowed.length === 0) return new ApiError(404, 'Not found.')
  return new ApiError(405, `The method ${method} is not allowed here.`, {
    headers: { allow: allowed.join(', ') },
  })
}

/** The name of a route in the log and in the OpenAPI document. */
function operationOf({ routeOptions }: FastifyRequest): string {
  const schema = routeOptions.schema as { readonly operationId?: string } | undefined
  return schema?.operationId ?? `${[routeOptions.method].flat().join(',')} ${routeOptions.url}`
}
