import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type TextMapPropagator,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { HttpRequest } from '../../../platform/http/message.ts'
import { partOf } from '../../gateway/gateway.ts'
import type { BegunSpan } from '../calls.ts'
import { type RequestRecord, type RequestSpans, redactedPath, redactedQuery } from '../requests.ts'
import { boundedText, type ChildSpans, markFailed } from './call-spans.ts'

export interface ServerSpansParts {
  readonly tracer: Tracer
  readonly children: ChildSpans
  /** Reads the client's `traceparent`. */
  readonly propagator: TextMapPropagator
  readonly clientOf: (request: HttpRequest) => string
}

/** Methods that OpenTelemetry's conventions know; others are `_OTHER`. */
const knownMethods: ReadonlySet<string> = new Set(
  'CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT TRACE'.split(' '),
)

/** `tracestate` has up to 512 characters, `traceparent` 55. */
const maxTraceHeader = 512

const headerGetter = {
  keys: (headers: HttpRequest['headers']) => Object.keys(headers),
  /** Ignores a value longer than W3C's "Trace Context" requires to be accepted. */
  get(headers: HttpRequest['headers'], name: string) {
    const value = headers[name]
    return value === undefined || value.length > maxTraceHeader ? undefined : value
  },
}

/**
 * One server span for each request, with the attributes of OpenTelemetry's semantic conventions for
 * HTTP servers. It starts with the handler and ends with the last byte of the reply.
 */
export class ServerSpans implements RequestSpans {
  readonly #parts: ServerSpansParts

  constructor(parts: ServerSpansParts) {
    this.#parts = parts
  }

  begin(request: HttpRequest): BegunSpan<RequestRecord> | undefined {
    const { tracer, children, propagator } = this.#parts
    const parent = propagator.extract(ROOT_CONTEXT, request.headers, headerGetter)
    const route = routeOf(request.rawPath)
    const method = knownMethods.has(request.method) ? request.method : 'HTTP'
    const name = route === undefined ? method : `${method} ${route}`
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER }, parent)
    if (!span.isRecording()) return undefined
    span.setAttributes(this.#attributesOf(request, route))
    return {
      run: (work) => children.within(trace.setSpan(parent, span), work),
      end: (record) => end(span, record),
    }
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
      'client.address': boundedText(this.#parts.clientOf(request)),
      ...present('user_agent.original', headers['user-agent']),
    }
  }
}

function end(span: Span, { request, outcome }: RequestRecord): void {
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

function present(name: string, value: string | number | boolean | undefined): Attributes {
  if (value === undefined) return {}
  return { [name]: typeof value === 'string' ? boundedText(value) : value }
}

/** The route of an S3 path. Undefined for other paths, whose operation is an attribute. */
function routeOf(rawPath: string): string | undefined {
  if (partOf(rawPath) !== 's3') return undefined
  if (rawPath === '/') return '/'
  const slash = rawPath.indexOf('/', 1)
  return slash < 0 || slash === rawPath.length - 1 ? '/{bucket}' : '/{bucket}/{key}'
}
