import { type Context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { ChildSpans } from '../../../../../src/app/telemetry/tracing/call-spans.ts'

/** Child spans, and what was recorded of them. */
export interface RecordedSpans {
  readonly children: ChildSpans
  /** The span of a request. */
  readonly request: Span
  readonly context: Context
  /** Names, attributes and status codes of the spans that have ended. */
  ended(): { name: string; attributes: Record<string, unknown>; status: number }[]
}

export function recordSpans(): RecordedSpans {
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const tracer = provider.getTracer('test')
  const request = tracer.startSpan('request')
  return {
    children: new ChildSpans(tracer),
    request,
    context: trace.setSpan(ROOT_CONTEXT, request),
    ended: () =>
      exporter
        .getFinishedSpans()
        .map(({ name, attributes, status }) => ({ name, attributes, status: status.code })),
  }
}
