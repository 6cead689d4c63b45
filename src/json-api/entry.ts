import { AsyncLocalStorage } from 'node:async_hooks'
import type { HttpRequest } from '../http/message.ts'

/** A request on its way through the app, and what the log line will say of it. */
export interface EnteredRequest {
  readonly request: HttpRequest
  /** Path and query as received: the way into Fastify would normalise them. */
  readonly target: string
  operation?: string
  /** The reply's body, where a route gives it past the app: see `sendBytes`. */
  body?: Uint8Array | undefined
  code?: string | undefined
  /** What the client was told of an error. */
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
