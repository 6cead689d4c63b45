import { performance } from 'node:perf_hooks'
import type { Outcome } from '../../platform/http/exchange.ts'
import type { HttpHandler, HttpReply, HttpRequest } from '../../platform/http/message.ts'
import type { Refusal } from '../../platform/http/server.ts'
import { hasBody } from '../../storage/s3/body/payload.ts'
import { uriDecode } from '../../storage/s3/sigv4/uri-encode.ts'
import { type Part, partOf } from '../gateway/gateway.ts'
import type { BegunSpan } from './calls.ts'

/** A request that has ended. It is made once, for all that report requests. */
export class RequestRecord {
  readonly request: HttpRequest
  readonly outcome: Outcome
  /** What was noted of the reply when it began, if that is on. Undefined for a request that reached no handler. */
  readonly begun: BegunReply | undefined
  readonly #clientOf: (request: HttpRequest) => string

  constructor(
    request: HttpRequest,
    outcome: Outcome,
    clientOf: (request: HttpRequest) => string,
    begun?: BegunReply,
  ) {
    this.request = request
    this.outcome = outcome
    this.begun = begun
    this.#clientOf = clientOf
  }

  /** The address of the client, behind the proxies of TRUST_PROXY. */
  get clientAddress(): string {
    return this.#clientOf(this.request)
  }

  /** The part of the gateway that the path belongs to. */
  get part(): Part {
    return partOf(this.request.rawPath)
  }
}

/** A reply of the handler, before its body is sent. */
export interface BegunReply {
  readonly reply: HttpReply
  /** Milliseconds from the last byte of the request to the reply. */
  readonly turnAroundMs: number
}

/** Receives the record of each request, and input that was not a valid request. */
export interface RequestSink {
  onRequest(record: RequestRecord): void
  onRefuse?(refusal: Refusal): void
}

/** Begins the span of each request. */
export interface RequestSpans {
  /** @returns undefined if the request is not sampled */
  begin(request: HttpRequest): BegunSpan<RequestRecord> | undefined
}

export interface RequestWatchParts {
  readonly sinks: readonly RequestSink[]
  readonly clientOf: (request: HttpRequest) => string
  readonly spans: RequestSpans | undefined
  /** Whether the records have `begun`. */
  readonly notesReplies: boolean
}

/** Makes the record of each request and gives it to the sinks. */
export class RequestWatch {
  readonly #parts: RequestWatchParts
  readonly #running = new WeakMap<HttpRequest, BegunSpan<RequestRecord>>()
  readonly #replies = new WeakMap<HttpRequest, BegunReply>()

  constructor(parts: RequestWatchParts) {
    this.#parts = parts
  }

  /** The handler, with what records need to know of the beginning of a request. */
  around(handler: HttpHandler): HttpHandler {
    const noted = this.#parts.notesReplies ? this.#noting(handler) : handler
    const { spans } = this.#parts
    if (spans === undefined) return noted
    return (request) => {
      const span = spans.begin(request)
      // A request that is not sampled costs little more than without traces.
      if (span === undefined) return noted(request)
      this.#running.set(request, span)
      return span.run(() => noted(request))
    }
  }

  onFinish(request: HttpRequest, outcome: Outcome): void {
    const { sinks, clientOf } = this.#parts
    const record = new RequestRecord(request, outcome, clientOf, this.#replies.get(request))
    for (const sink of sinks) sink.onRequest(record)
    this.#running.get(request)?.end(record)
  }

  onRefuse(refusal: Refusal): void {
    for (const sink of this.#parts.sinks) sink.onRefuse?.(refusal)
  }

  #noting(handler: HttpHandler): HttpHandler {
    return async (request) => {
      let receivedAt = performance.now()
      if (hasBody(request.headers)) {
        request.body.once('end', () => {
          receivedAt = performance.now()
        })
      }
      const reply = await handler(request)
      this.#replies.set(request, { reply, turnAroundMs: performance.now() - receivedAt })
      return reply
    }
  }
}

/**
 * Parameters that let anyone who reads a log act for the client: the signature of a presigned URL, a
 * session token and a customer key.
 */
const secretParameter =
  /^(?:x-amz-signature|x-amz-security-token|token|signature|.*-customer-key|authorization|cookie)$/i

const mayHaveSecret = /sign|token|customer-key|authorization|cookie|%/i

/** A raw query for a log: the values of secret parameters are replaced by `REDACTED`. */
export function redactedQuery(rawQuery: string): string {
  if (!mayHaveSecret.test(rawQuery)) return rawQuery
  return rawQuery
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const name = equals < 0 ? pair : pair.slice(0, equals)
      return equals >= 0 && secretParameter.test(uriDecode(name)) ? `${name}=REDACTED` : pair
    })
    .join('&')
}

const shareToken = /^\/-\/s\/[^/]+/

/** A raw path for a log: without the token of a share, which is all that its visitors need. */
export function redactedPath(rawPath: string): string {
  return rawPath.replace(shareToken, '/-/s/REDACTED')
}
