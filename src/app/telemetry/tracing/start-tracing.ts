import { randomUUID } from 'node:crypto'
import { DiagLogLevel, diag } from '@opentelemetry/api'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { withinTime } from '../../../platform/process/time-limit.ts'
import { clientOf } from '../../gateway/untrusted-proxies.ts'
import type { Settings } from '../../settings/read-settings.ts'
import { pairOf } from '../../settings/tables/telemetry-settings.ts'
import type { Log } from '../log.ts'
import { sparingly } from '../sparingly.ts'
import { ChildSpans, maxAttributeLength } from './child-spans.ts'
import { tracedDatabase } from './database-spans.ts'
import { tracedDrive } from './drive-spans.ts'
import { RequestSpans } from './request-spans.ts'
import type { Tracing } from './tracing.ts'

/** A receiver that takes longer loses the spans. */
const exportTimeoutMs = 10_000
/** The receiver may be away when the program stops. */
const lastExportMs = 3_000
/** Spans that wait to be sent. More are dropped, so that memory stays bounded without a receiver. */
const maxWaitingSpans = 2_048
/** All waiting spans in batches of 512, and one that is being sent. */
const maxExports = 5
const warningMs = 60_000

/** Starts OpenTelemetry: the only file, with its neighbors, that loads its packages. */
export function startTracing(url: string, settings: Settings, log: Log): Tracing {
  reportProblems(log)
  const exporter = new OTLPTraceExporter({
    url,
    headers: Object.fromEntries(valuesOf(settings.otlpHeaders)),
    timeoutMillis: exportTimeoutMs,
    concurrencyLimit: maxExports,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes(resourceAttributes(settings)),
    sampler: samplerOf(settings),
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: maxWaitingSpans,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  })
  const tracer = provider.getTracer('bucketry')
  const children = new ChildSpans(tracer)
  const propagator = new W3CTraceContextPropagator()
  const addressOf = clientOf(settings)
  const requests = new RequestSpans({ tracer, children, propagator, addressOf })
  return {
    handler: (handler) => requests.around(handler),
    onFinish: (request, outcome) => requests.onFinish(request, outcome),
    drive: (drive, name) => tracedDrive(drive, children, name),
    database: (database) => tracedDatabase(database, children),
    close: () => within(lastExportMs, provider.shutdown()),
  }
}

function valuesOf(pairs: readonly string[]): [string, string][] {
  return pairs.map(pairOf).map(({ name, value }) => [name, value])
}

/** OpenTelemetry, "General SDK Configuration": OTEL_SERVICE_NAME is above OTEL_RESOURCE_ATTRIBUTES. */
function resourceAttributes({ otelServiceName, otelResourceAttributes }: Settings) {
  return {
    'service.name': 'bucketry',
    // Workers are processes of one service.
    'service.instance.id': randomUUID(),
    'process.pid': process.pid,
    ...Object.fromEntries(valuesOf(otelResourceAttributes)),
    ...(otelServiceName === undefined ? {} : { 'service.name': otelServiceName }),
  }
}

function samplerOf({ otelTracesSampler, otelTracesSamplerArg }: Settings): Sampler {
  const name = otelTracesSampler.replace('parentbased_', '')
  const root =
    name === 'always_on'
      ? new AlwaysOnSampler()
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(otelTracesSamplerArg)
  return name === otelTracesSampler ? root : new ParentBasedSampler({ root })
}

/** The receiver is away, or spans were dropped: warnings, at most once a minute. */
function reportProblems(log: Log): void {
  let problem: unknown
  const warn = sparingly(warningMs, (count) =>
    log.warn({ err: problem, count }, 'traces could not be sent'),
  )
  const report = (one: unknown) => {
    problem = one
    warn()
  }
  const none = () => undefined
  setGlobalErrorHandler(report)
  diag.setLogger(
    { error: report, warn: report, info: none, debug: none, verbose: none },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}

/** Waits for work, but not longer than this. Its failure was reported. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  await withinTime(work, ms).catch(() => undefined)
}
