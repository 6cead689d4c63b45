import type { z } from 'zod'
import type { HttpHandler, HttpReply, HttpRequest } from '../http/message.ts'
import { untilAborted } from '../process/time-limit.ts'
import { ApiError, type ErrorFormat, errorFormatOf, jsonPath } from './api-error.ts'
import { assertJsonType, hasBody, readJson } from './json-body.ts'
import { type Call, JsonBytes, PassedReply, type Route } from './route.ts'
import { type FoundRoute, routeFinder } from './route-finder.ts'

export interface JsonHandlerOptions {
  /** Error formats other than `{"message", "field"?}`. */
  readonly errorFormats?: readonly ErrorFormat[]
  /** Converts errors of lower layers into replies, and keeps them as the cause. Undefined: 500. */
  readonly translate?: (error: unknown) => ApiError | undefined
  /** Called with the cause of every 5xx reply, which the client does not see. */
  readonly onFailure?: (error: unknown, requestId: string) => void
  /** Maximum time without bytes while a body is read. Default 30 s. */
  readonly bodyIdleMs?: number
  /** Maximum time for the whole body of an unauthenticated client. Default 10 s. */
  readonly bodyTotalMs?: number
}

/** Bytes. Routes for larger bodies set `bodyLimit`. */
const defaultBodyLimit = 1024 * 1024

/** Fields of every reply unless a route overrides them. */
const commonHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const

const jsonType = ['content-type', 'application/json; charset=utf-8'] as const

type LogFields = Record<string, string>

/**
 * Serves the routes of all JSON protocols: finds the route, checks its access, validates parameters and body, and
 * serializes what its `answer` returns. Errors have the format of their path.
 */
export function jsonHandler(
  routes: readonly Route[],
  options: JsonHandlerOptions = {},
): HttpHandler {
  const find = routeFinder(routes)
  const { errorFormats = [] } = options
  const reply = async (request: HttpRequest, logFields: LogFields): Promise<HttpReply> => {
    const format = errorFormatOf(errorFormats, request.rawPath, request.headers)
    const headers = { 'x-request-id': request.id, ...commonHeaders, ...format.headers }
    try {
      const found = find(request.method, request.rawPath)
      logFields.operation = found.route.operationId
      const reply = await success(request, found, { headers, options, logFields })
      return { ...reply, logFields: { ...reply.logFields, ...logFields } }
    } catch (error) {
      const refusal = refusalOf(error, request, options)
      logFields.reason = refusal.message
      if (refusal.code !== undefined) logFields.code = refusal.code
      return {
        status: refusal.status,
        headers: [...Object.entries({ ...headers, ...refusal.headers }), jsonType],
        body: JSON.stringify(format.errorBody(refusal)),
        logFields,
      }
    }
  }
  return async (request) => {
    const logFields: LogFields = {}
    const replying = reply(request, logFields)
    try {
      return await untilAborted(replying, request.signal)
    } catch {
      // The client disconnected. Nothing reads this reply, and nothing else would close the body of the pending one.
      const closing = replying.then(({ body }) => closeBody(body))
      closing.catch((error: unknown) => options.onFailure?.(error, request.id))
      return { status: 400, headers: [], logFields }
    }
  }
}

async function closeBody(body: HttpReply['body']): Promise<void> {
  if (typeof body === 'object' && 'close' in body) await body.close()
}

async function success(
  request: HttpRequest,
  { route, params }: FoundRoute,
  context: {
    readonly headers: Readonly<Record<string, string>>
    readonly options: JsonHandlerOptions
    readonly logFields: LogFields
  },
): Promise<HttpReply> {
  await route.access?.admit(request)
  if (route.access?.knowsClients === true) request.markKnown()
  const body = await readBody(request, route, context.options)
  const call: Call<unknown, unknown, unknown> = {
    request,
    params: valid(route.params, params),
    body: route.bodyType === 'unread' ? undefined : valid(route.body, body ?? null),
    query: valid(route.query, queryOf(request.rawQuery)),
    replyHeaders: new Map(Object.entries(context.headers)),
    logFields: context.logFields,
  }
  const value = await route.answer(call)
  if (value instanceof PassedReply) {
    return { ...value.reply, headers: [...call.replyHeaders, ...value.reply.headers] }
  }
  const { status = 200 } = route
  if (value instanceof JsonBytes) {
    return { status, headers: [...call.replyHeaders, jsonType], body: value.body }
  }
  if (route.reply === undefined) return { status, headers: [...call.replyHeaders] }
  const json = JSON.stringify(route.reply.parse(value))
  return { status, headers: [...call.replyHeaders, jsonType], body: json }
}

/** Undefined without a body, and for a GET, whose body has no meaning (RFC 9110 section 9.3.1). */
async function readBody(
  request: HttpRequest,
  { method, bodyType, bodyLimit = defaultBodyLimit, access }: Route,
  { bodyIdleMs: idleMs = 30_000, bodyTotalMs = 10_000 }: JsonHandlerOptions,
): Promise<unknown> {
  if (method === 'GET' || !hasBody(request.headers)) return undefined
  if (bodyType === 'ignored' || bodyType === 'unread') return undefined
  if (bodyType !== 'any') assertJsonType(request.headers)
  const totalMs = access?.knowsClients === true ? undefined : bodyTotalMs
  return readJson(request, { maxBytes: bodyLimit, idleMs, totalMs })
}

/** The parameters by name; the values of a repeated name are an array. */
function queryOf(rawQuery: string): Readonly<Record<string, unknown>> {
  if (rawQuery === '') return {}
  const pairs = Map.groupBy(new URLSearchParams(rawQuery), ([name]) => name)
  return Object.fromEntries(
    [...pairs].map(([name, values]) => [
      name,
      values.length === 1 ? values[0]?.[1] : values.map(([, value]) => value),
    ]),
  )
}

/** @throws ApiError 400 that names the field */
function valid(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return value
  const result = schema.safeParse(value)
  if (!result.success) throw schemaMistake(result.error)
  return result.data
}

/** The reply to an error. Reports its cause; an unexpected error reveals no details to the client. */
function refusalOf(
  error: unknown,
  { id, signal }: HttpRequest,
  { translate, onFailure }: JsonHandlerOptions,
): ApiError {
  const refusal = translate?.(error) ?? toApiError(error)
  const isGone = signal.aborted && error instanceof Error && error.name === 'AbortError'
  if (refusal.cause !== undefined && refusal.status >= 500 && !isGone)
    onFailure?.(refusal.cause, id)
  return refusal
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError(500, 'Internal error; see the log of the service.', { cause: error })
}

type Issue = z.core.$ZodIssue

/** Maximum characters of a message, which may quote input. */
const maxLength = 300

/** A 400 that names the field of the first error in a client's input. */
export function schemaMistake(error: z.core.$ZodError): ApiError {
  const issue = error.issues[0]
  if (issue === undefined) return new ApiError(400, 'The request does not match the schema.')
  const { message, path } = deepest(issue, [])
  const field = clip(jsonPath(path))
  return new ApiError(400, clip(message), {
    code: 'invalid_field',
    field: field === '' ? undefined : field,
    cause: error,
  })
}

interface Finding {
  readonly message: string
  readonly path: readonly PropertyKey[]
}

/**
 * For a union, the error of the variant that matched the most levels, which the client most likely meant. For unknown
 * fields, the path of the first one.
 */
function deepest(issue: Issue, above: readonly PropertyKey[]): Finding {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    return { message: 'Unknown field.', path: [...path, ...issue.keys.slice(0, 1)] }
  }
  if (issue.code !== 'invalid_union') return { message: issue.message, path }
  let found: Finding = { message: issue.message, path }
  for (const [first] of issue.errors) {
    if (first === undefined) continue
    const finding = deepest(first, path)
    if (finding.path.length > found.path.length) found = finding
  }
  return found
}

function clip(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
