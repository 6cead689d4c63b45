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
import type { CallSpans } from '../calls.ts'
import { type Log, throttled } from '../log.ts'
import type { RequestSpans } from '../requests.ts'
import { ChildSpans, databaseSpans, driveSpans, maxAttributeLength } from './call-spans.ts'
import { ServerSpans } from './request-spans.ts'

/** Time limit for an export. The spans of a slower one are dropped. */
const exportTimeoutMs = 10_000
/** Time limit for the last export: the receiver may be unreachable when the program stops. */
const lastExportMs = 3_000
/** Maximum number of spans that wait to be sent. Further spans are dropped: memory stays bounded without a receiver. */
const maxWaitingSpans = 2_048
/** All waiting spans in batches of 512, and one batch that is being sent. */
const maxExports = 5
const warningMs = 60_000

/** OpenTelemetry traces of one process (docs/tracing.md). */
export interface Tracing {
  readonly requests: RequestSpans
  /** @param name the name of the drive, or its kind */
  ofDrive(name: string): CallSpans
  /** @param kind of Database */
  ofDatabase(kind: string): CallSpans
  /** Sends the last spans, within a few seconds, and stops. */
  close(): Promise<void>
}

/** Starts OpenTelemetry. Only the files in this folder load its packages. */
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
  return {
    requests: new ServerSpans({ tracer, children, propagator, clientOf: clientOf(settings) }),
    ofDrive: (name) => driveSpans(children, name),
    ofDatabase: (kind) => databaseSpans(children, kind),
    close: () => within(lastExportMs, provider.shutdown()),
  }
}

function valuesOf(pairs: readonly string[]): [string, string][] {
  return pairs.map(pairOf).map(({ name, value }) => [name, value])
}

/** OTEL_SERVICE_NAME takes precedence over OTEL_RESOURCE_ATTRIBUTES (OpenTelemetry, "General SDK Configuration"). */
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

/** Logs a warning, at most once a minute, if the receiver is unreachable or spans were dropped. */
function reportProblems(log: Log): void {
  let problem: unknown
  const warn = throttled(warningMs, (count) =>
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

/** Waits for work for at most this time. Failures of the work have already been reported. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  await withinTime(work, ms).catch(() => undefined)
}
