import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyRequest } from 'fastify'
import type { HttpRequest } from '../http/message.ts'

/** A request in the app, and the fields of its log line. */
export interface EnteredRequest {
  readonly request: HttpRequest
  /** Path and query as received: the way into Fastify would normalise them. */
  readonly target: string
  operation?: string
  /** Whether it has shown a session, so that its body may take as long as it needs. */
  hasSession?: boolean
  code?: string | undefined
  /** The error message that the client got. */
  reason?: string | undefined
}

const entered = new AsyncLocalStorage<EnteredRequest>()

/** Runs `work`, within which `enteredRequest` gives this one. */
export function enter<Result>(request: EnteredRequest, work: () => Result): Result {
  return entered.run(request, work)
}

/** The request being answered; undefined where a test injects into the app by itself. */
export function enteredRequest(): EnteredRequest | undefined {
  return entered.getStore()
}

/** The source of a request, as the HTTP server received it. */
export type RequestSource = Pick<HttpRequest, 'headers' | 'isSecure' | 'remoteAddress'>

/** The source of the request being answered; of one that a test injects, what there is of it. */
export function sourceOf({ headers, ip }: FastifyRequest): RequestSource {
  return enteredRequest()?.request ?? { headers, isSecure: false, remoteAddress: ip }
}
