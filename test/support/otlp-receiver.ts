import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { fieldsOf, integerOf, type ProtobufFields, textOf } from './protobuf-fields.ts'

/** A span (opentelemetry-proto, trace.proto). */
export interface ReceivedSpan {
  /** Lower-case hexadecimal, as the next two. */
  readonly traceId: string
  readonly spanId: string
  /** Empty for a root. */
  readonly parentSpanId: string
  readonly name: string
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
  /** Status: 0 unset, 1 ok, 2 error. */
  readonly status: number
  /** Attributes of the resource. */
  readonly resource: Readonly<Record<string, unknown>>
}

interface ReceivedExport {
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** Receives OTLP as protobuf over HTTP. */
export interface OtlpReceiver {
  readonly url: string
  readonly exports: readonly ReceivedExport[]
  /** Spans of all exports. */
  readonly spans: readonly ReceivedSpan[]
}

export interface OtlpReceiverOptions {
  /** Accepts exports and never replies. */
  readonly isStuck?: boolean
}

export async function startOtlpReceiver(
  t: TestContext,
  { isStuck = false }: OtlpReceiverOptions = {},
): Promise<OtlpReceiver> {
  const exports: ReceivedExport[] = []
  const spans: ReceivedSpan[] = []
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request
    spans.push(...spansOf(Buffer.concat(await request.toArray())))
    exports.push({ path, headers })
    if (isStuck) return
    response.setHeader('Content-Type', 'application/x-protobuf')
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, exports, spans }
}

/** The numbers of the fields are those of opentelemetry-proto. */
function spansOf(body: Buffer): ReceivedSpan[] {
  return messages(fieldsOf(body), 1).flatMap((resourceSpans) => {
    const resource = messages(resourceSpans, 1).flatMap((one) => messages(one, 1))
    const spans = messages(resourceSpans, 2).flatMap((scopeSpans) => messages(scopeSpans, 2))
    return spans.map((span) => spanOf(span, valuesOf(resource)))
  })
}

function spanOf(span: ProtobufFields, resource: ReceivedSpan['resource']): ReceivedSpan {
  return {
    traceId: hexOf(span, 1),
    spanId: hexOf(span, 2),
    parentSpanId: hexOf(span, 4),
    name: textOf(span, 5),
    kind: integerOf(span, 6),
    attributes: valuesOf(messages(span, 9)),
    status: integerOf(messages(span, 15)[0] ?? new Map(), 3),
    resource,
  }
}

/** KeyValue: a name and an AnyValue, of which tests read texts, flags and integers. */
function valuesOf(pairs: readonly ProtobufFields[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const value = messages(pair, 2)[0] ?? new Map()
      if (value.has(1)) return [textOf(pair, 1), textOf(value, 1)]
      if (value.has(2)) return [textOf(pair, 1), integerOf(value, 2) === 1]
      return [textOf(pair, 1), integerOf(value, 3)]
    }),
  )
}

function messages(fields: ProtobufFields, number: number): ProtobufFields[] {
  return (fields.get(number) ?? []).map((value) => fieldsOf(value as Buffer))
}

function hexOf(fields: ProtobufFields, number: number): string {
  return ((fields.get(number)?.[0] ?? Buffer.alloc(0)) as Buffer).toString('hex')
}
