import { performance } from 'node:perf_hooks'
import type { Outcome } from '../../platform/http/exchange.ts'
import type { HttpHandler, HttpReply, HttpRequest } from '../../platform/http/message.ts'
import type { Refusal } from '../../platform/http/server.ts'
import { hasBody } from '../../storage/s3/body/payload.ts'
import { uriDecode } from '../../storage/s3/sigv4/uri-encode.ts'
import { type Part, partOf } from '../gateway/gateway.ts'
import type { BegunSpan } from './calls.ts'

/** A finished request. One record serves all sinks. */
export class RequestRecord {
  readonly request: HttpRequest
  readonly outcome: Outcome
  /** Data about the start of the reply, if it is recorded. Undefined for a request that reached no handler. */
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

  /** The part of the gateway that serves the path. */
  get part(): Part {
    return partOf(this.request.rawPath)
  }
}

/** The handler's reply, before its body is sent. */
export interface BegunReply {
  readonly reply: HttpReply
  /** Milliseconds from the last byte of the request to the reply. */
  readonly turnAroundMs: number
}

/** Receives the record of each request, and each input that is not a valid request. */
export interface RequestSink {
  onRequest(record: RequestRecord): void
  onRefuse?(refusal: Refusal): void
}

/** Starts the span of each request. */
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

/** Creates the record of each request and passes it to the sinks. */
export class RequestWatch {
  readonly #parts: RequestWatchParts
  readonly #running = new WeakMap<HttpRequest, BegunSpan<RequestRecord>>()
  readonly #replies = new WeakMap<HttpRequest, BegunReply>()

  constructor(parts: RequestWatchParts) {
    this.#parts = parts
  }

  /** Wraps the handler to note, at the start of a request, the data that its record needs. */
  around(handler: HttpHandler): HttpHandler {
    const noted = this.#parts.notesReplies ? this.#noting(handler) : handler
    const { spans } = this.#parts
    if (spans === undefined) return noted
    return (request) => {
      const span = spans.begin(request)
      // A request that is not sampled costs hardly more than without tracing.
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

/** A raw query for the log, with `REDACTED` in place of the values of secret parameters. */
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

/** A raw path for the log, without the token of a share, which alone gives access to the share. */
export function redactedPath(rawPath: string): string {
  return rawPath.replace(shareToken, '/-/s/REDACTED')
}
