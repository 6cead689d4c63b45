import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type TextMapPropagator,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Outcome } from '../../../platform/http/exchange.ts'
import type { HttpHandler, HttpRequest } from '../../../platform/http/message.ts'
import { partOf } from '../../gateway/gateway.ts'
import { redactedPath, redactedQuery } from '../redacted-query.ts'
import { boundedText, type ChildSpans, markFailed } from './child-spans.ts'

export interface RequestSpansParts {
  readonly tracer: Tracer
  readonly children: ChildSpans
  /** Reads the client's `traceparent`. */
  readonly propagator: TextMapPropagator
  readonly addressOf: (request: HttpRequest) => string
}

/** Methods that OpenTelemetry's conventions know; others are `_OTHER`. */
const knownMethods: ReadonlySet<string> = new Set(
  'CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT TRACE'.split(' '),
)

/** `tracestate` has up to 512 characters, `traceparent` 55. */
const maxTraceHeader = 512

const headerGetter = {
  keys: (headers: HttpRequest['headers']) => Object.keys(headers),
  /** A longer one than W3C's "Trace Context" asks for is ignored. */
  get(headers: HttpRequest['headers'], name: string) {
    const value = headers[name]
    return value === undefined || value.length > maxTraceHeader ? undefined : value
  },
}

/**
 * One server span for each request, with the attributes of OpenTelemetry's semantic conventions for
 * HTTP servers. It begins with the handler and ends with the last byte of the reply.
 */
export class RequestSpans {
  readonly #parts: RequestSpansParts
  readonly #running = new WeakMap<HttpRequest, Span>()

  constructor(parts: RequestSpansParts) {
    this.#parts = parts
  }

  around(handler: HttpHandler): HttpHandler {
    const { tracer, children, propagator } = this.#parts
    return (request) => {
      const parent = propagator.extract(ROOT_CONTEXT, request.headers, headerGetter)
      const route = routeOf(request.rawPath)
      const method = knownMethods.has(request.method) ? request.method : 'HTTP'
      const name = route === undefined ? method : `${method} ${route}`
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER }, parent)
      // Not sampled: such a request costs little more than without traces.
      if (!span.isRecording()) return handler(request)
      span.setAttributes(this.#attributesOf(request, route))
      this.#running.set(request, span)
      return children.within(trace.setSpan(parent, span), () => handler(request))
    }
  }

  onFinish(request: HttpRequest, outcome: Outcome): void {
    const span = this.#running.get(request)
    if (span === undefined) return
    const { status, bytesSent, isAborted, failure, logFields = {} } = outcome
    const { operation, bucket, key, code } = logFields
    span.setAttributes({
      'http.response.status_code': status,
      'http.response.body.size': bytesSent,
      'aws.request_id': request.id,
      ...present('bucketry.operation', operation),
      ...present('bucketry.error_code', code),
      ...present('aws.s3.bucket', bucket),
      ...present('aws.s3.key', key),
      ...(isAborted ? { 'bucketry.aborted': true } : {}),
    })
    if (failure !== undefined || status >= 500) {
      markFailed(span, failure instanceof Error ? failure.name : String(code ?? status))
    }
    span.end()
  }

  #attributesOf(request: HttpRequest, route: string | undefined): Attributes {
    const { method, rawPath, rawQuery, headers, isSecure } = request
    const host = URL.parse(`http://${headers.host ?? ''}`)
    const isKnown = knownMethods.has(method)
    return {
      'http.request.method': isKnown ? method : '_OTHER',
      ...(isKnown ? {} : { 'http.request.method_original': method }),
      'url.scheme': isSecure ? 'https' : 'http',
      'url.path': boundedText(redactedPath(rawPath)),
      ...(rawQuery === '' ? {} : { 'url.query': boundedText(redactedQuery(rawQuery)) }),
      ...present('http.route', route),
      ...(host === null ? {} : { 'server.address': boundedText(host.hostname) }),
      ...(host === null || host.port === '' ? {} : { 'server.port': Number(host.port) }),
      'client.address': boundedText(this.#parts.addressOf(request)),
      ...present('user_agent.original', headers['user-agent']),
    }
  }
}

function present(name: string, value: string | number | boolean | undefined): Attributes {
  if (value === undefined) return {}
  return { [name]: typeof value === 'string' ? boundedText(value) : value }
}

/** The form of an S3 path. Undefined for others, whose operation is an attribute. */
function routeOf(rawPath: string): string | undefined {
  if (partOf(rawPath) !== 's3') return undefined
  if (rawPath === '/') return '/'
  const slash = rawPath.indexOf('/', 1)
  return slash < 0 || slash === rawPath.length - 1 ? '/{bucket}' : '/{bucket}/{key}'
}
