import { Readable } from 'node:stream'
import type { HttpHandler, HttpReply, StreamBody } from '../../src/platform/http/message.ts'
import { type JsonHandlerOptions, jsonHandler } from '../../src/platform/json-api/json-handler.ts'
import type { Route } from '../../src/platform/json-api/route.ts'
import { requestOf } from '../unit/app/start/request-of.ts'
import { readStreamBody } from './stream-body.ts'

interface JsonRequest {
  /** Default: GET. */
  readonly method?: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** An object is sent as JSON, everything else as it is. */
  readonly payload?: object | string | Buffer
  readonly remoteAddress?: string
  readonly signal?: AbortSignal
}

interface JsonReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came.
  json(): any
}

export interface JsonSender {
  readonly handler: HttpHandler
  send(request: JsonRequest | string): Promise<JsonReply>
}

/** Sends requests to these routes without a connection. */
export function jsonSender(routes: readonly Route[], options: JsonHandlerOptions = {}): JsonSender {
  const handler = jsonHandler(routes, options)
  return { handler, send: (request) => sendTo(handler, request) }
}

async function sendTo(handler: HttpHandler, given: JsonRequest | string): Promise<JsonReply> {
  const request: JsonRequest = typeof given === 'string' ? { url: given } : given
  const { method = 'GET', url, headers = {}, payload, remoteAddress, signal } = request
  const isJson = typeof payload === 'object' && !Buffer.isBuffer(payload)
  const bytes = Buffer.from(isJson ? JSON.stringify(payload) : (payload ?? ''))
  const reply = await handler({
    ...requestOf(method, url),
    headers: {
      ...(payload === undefined ? {} : { 'content-length': String(bytes.length) }),
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    body: Readable.from([bytes]),
    ...(remoteAddress !== undefined && { remoteAddress }),
    ...(signal !== undefined && { signal }),
  })
  const body = await bytesOf(reply.body)
  const length = body === undefined ? {} : { 'content-length': String(body.length) }
  const text = method === 'HEAD' || body === undefined ? '' : String(body)
  return {
    status: reply.status,
    headers: { ...Object.fromEntries(reply.headers), ...length },
    text,
    json: () => JSON.parse(text),
  }
}

async function bytesOf(body: HttpReply['body']): Promise<Buffer | undefined> {
  if (body === undefined) return undefined
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body)
  return readStreamBody(body as StreamBody)
}
