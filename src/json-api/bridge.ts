import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { HTTPMethods } from 'fastify'
import type { HeaderFields, HttpHandler, HttpReply, HttpRequest } from '../http/message.ts'
import { type EnteredRequest, enter } from './entry.ts'
import type { JsonApp } from './json-app.ts'
import { JsonRequestBody } from './request-body.ts'

export interface BridgeOptions {
  /** The client address that the app reads as `request.ip`. Default: the connection's peer. */
  readonly clientAddress?: (request: HttpRequest) => string
  /** How long a client may send nothing while its body is awaited. Default 30 s. */
  readonly bodyIdleMs?: number
  /** How long the whole body of a request without a session may take. Default 10 s. */
  readonly bodyTotalMs?: number
}

const defaultBodyIdleMs = 30_000
const defaultBodyTotalMs = 10_000

/** Header fields of the connection, which the HTTP server sets or computes. */
const hopFields: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
])

/**
 * Connects a JSON app to the HTTP server, which alone reads and writes sockets. Bodies stream into
 * the app as it reads them; a disconnected client aborts its request. The handler rejects only after
 * the app was closed.
 *
 * @throws the error of a plugin that fails to load.
 */
export async function bridge(app: JsonApp, options: BridgeOptions = {}): Promise<HttpHandler> {
  await app.ready()
  return async (request) => {
    const target = request.rawPath + (request.rawQuery === '' ? '' : `?${request.rawQuery}`)
    const entered: EnteredRequest = { request, target }
    const reply = await enter(entered, () => inject(app, entered, options))
    const { operation, code, reason } = entered
    const logFields = {
      ...(operation === undefined ? {} : { operation }),
      ...(code === undefined ? {} : { code }),
      ...(reason === undefined ? {} : { reason }),
    }
    return { ...reply, logFields }
  }
}

async function inject(
  app: JsonApp,
  entered: EnteredRequest,
  options: BridgeOptions,
): Promise<HttpReply> {
  const { clientAddress, bodyIdleMs = defaultBodyIdleMs } = options
  const { bodyTotalMs = defaultBodyTotalMs } = options
  const { request } = entered
  const { method, headers } = request
  const times = {
    idleMs: bodyIdleMs,
    totalMs: () => (entered.hasSession === true ? undefined : bodyTotalMs),
  }
  const body = hasBody(headers) ? new JsonRequestBody(request, times) : undefined
  try {
    const answer = await app.inject({
      method: method as HTTPMethods,
      url: '/',
      headers: body === undefined ? { ...headers, 'content-type': undefined } : headers,
      remoteAddress: clientAddress?.(request) ?? request.remoteAddress,
      signal: request.signal,
      ...(body === undefined ? {} : { payload: body }),
    })
    return {
      status: answer.statusCode,
      headers: [
        ['x-request-id', request.id],
        ...fieldsOf(answer.headers, method === 'HEAD' && entered.body === undefined),
      ],
      ...(entered.body === undefined && answer.rawPayload.length === 0
        ? {}
        : { body: entered.body ?? answer.rawPayload }),
    }
  } catch (error) {
    await entered.body?.close()
    if (!request.signal.aborted) throw error
    // The client disconnected and the app dropped its request: this reply is never read.
    return { status: 400, headers: [] }
  } finally {
    body?.destroy()
  }
}

/** Whether there is a body of at least one byte (RFC 9112 section 6.3). */
function hasBody(headers: IncomingHttpHeaders): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  return coding !== undefined || (length !== undefined && Number(length) > 0)
}

/** A HEAD reply has the length of the body that it does not send. */
function fieldsOf(headers: OutgoingHttpHeaders, isHead: boolean): HeaderFields {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (hopFields.has(name) && !(isHead && name === 'content-length')) return []
    return [value ?? []].flat().map((each) => [name, String(each)] as const)
  })
}
