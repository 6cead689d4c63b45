import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyRequest } from 'fastify'
import type { HttpRequest, StreamBody } from '../http/message.ts'

/** A request in the app, and the fields of its log line. */
export interface EnteredRequest {
  readonly request: HttpRequest
  /** Path and query as received; Fastify's inject would normalize them. */
  readonly target: string
  operation?: string
  /** Whether it has a valid session, so that its body has no total time limit. */
  hasSession?: boolean
  code?: string | undefined
  /** The error message that the client got. */
  reason?: string | undefined
  /** Replaces the body of the app's reply, which the app would hold as a copy. */
  body?: StreamBody
}

const entered = new AsyncLocalStorage<EnteredRequest>()

/** Runs `work`, in which `enteredRequest` returns this request. */
export function enter<Result>(request: EnteredRequest, work: () => Result): Result {
  return entered.run(request, work)
}

/** The request being answered; undefined when a test injects into the app directly. */
export function enteredRequest(): EnteredRequest | undefined {
  return entered.getStore()
}

/** The source of a request, as the HTTP server received it. */
export type RequestSource = Pick<HttpRequest, 'headers' | 'isSecure' | 'remoteAddress'>

/** The source of the request being answered. For an injected one in a test: what Fastify has. */
export function sourceOf({ headers, ip }: FastifyRequest): RequestSource {
  return enteredRequest()?.request ?? { headers, isSecure: false, remoteAddress: ip }
}
