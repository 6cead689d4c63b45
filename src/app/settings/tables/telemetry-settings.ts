import { SettingMistake } from '../../../platform/process/setting-mistake.ts'
import {
  booleanOf,
  integerIn,
  listOf,
  localPath,
  oneOf,
  passphrase,
  visibleAscii,
} from '../parse-values.ts'
import type { Setting } from '../setting.ts'

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** Logs, metrics (docs/metrics.md), and traces, which have OpenTelemetry's own names (docs/tracing.md). */
export const telemetrySettings = {
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
    parse: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  },
  metricsPort: {
    name: 'METRICS_PORT',
    whenUnset: 'none',
    meaning:
      'Additional port on HOST that serves only `/-/metrics` (docs/metrics.md). With 0, the system picks a free port.',
    parse: integerIn({ min: 0, max: 65_535 }),
  },
  metricsToken: {
    name: 'METRICS_TOKEN',
    whenUnset: 'PORT does not serve metrics',
    meaning: 'Bearer token that `/-/metrics` requires. If set, PORT also serves `/-/metrics`.',
    isSecret: true,
    parse: visibleAscii,
  },
  accessLogFormat: {
    name: 'ACCESS_LOG_FORMAT',
    default: 'json',
    meaning: 'Format of the access log: `json`, or `s3` for the format of S3 server access logs.',
    parse: oneOf<'json' | 's3'>(['json', 's3']),
  },
  accessLogFile: {
    name: 'ACCESS_LOG_FILE',
    whenUnset: 'standard output',
    meaning: 'File for the access log. SIGHUP reopens it.',
    parse: localPath,
  },
  otlpEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    whenUnset: 'no traces',
    meaning: 'Base address of an OTLP receiver. Traces are sent to its path `/v1/traces`.',
    parse: otlpAddress,
  },
  otlpTracesEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    whenUnset: '`/v1/traces` of OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning: 'Full address that traces are sent to.',
    parse: otlpAddress,
  },
  otelSdkDisabled: {
    name: 'OTEL_SDK_DISABLED',
    default: 'false',
    meaning: 'With `true`, no traces are sent even if an address is set.',
    parse: booleanOf,
  },
  otlpHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    default: '',
    meaning: 'Header fields to send to the receiver, as `name=value`. A list.',
    isSecret: true,
    parse: listOf(headerPair),
  },
  otlpProtocol: {
    name: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    default: 'http/protobuf',
    meaning: 'Must be `http/protobuf`: gRPC and JSON are not supported.',
    parse: oneOf(['http/protobuf']),
  },
  otelServiceName: {
    name: 'OTEL_SERVICE_NAME',
    whenUnset: 'service.name of OTEL_RESOURCE_ATTRIBUTES, or `bucketry`',
    meaning: 'Name of this service in traces.',
    parse: passphrase,
  },
  otelResourceAttributes: {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    default: '',
    meaning: 'Attributes of this service in traces, as `name=value`. A list.',
    parse: listOf(attributePair),
  },
  otelTracesSampler: {
    name: 'OTEL_TRACES_SAMPLER',
    default: 'parentbased_always_on',
    meaning:
      'Which traces are recorded: `always_on`, `always_off`, `traceidratio`, or one of these with the prefix `parentbased_`.',
    parse: oneOf<(typeof samplers)[number]>(samplers),
  },
  otelTracesSamplerArg: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    default: '1',
    meaning: 'Fraction of traces, from 0 to 1, that `traceidratio` records.',
    parse: shareOf,
  },
} as const satisfies Record<string, Setting<unknown>>

/** The address of an OTLP receiver. */
export function otlpAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!isHttp || /[?#\s]/.test(text)) {
    throw new SettingMistake('http://host:port or https://host:port, with a path if needed')
  }
  return text
}

/**
 * A header field as `name=value`, the value percent-encoded where needed (OpenTelemetry, "Specifying
 * headers via environment variables").
 */
export function headerPair(text: string): string {
  const { name, value } = pairOf(text)
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || !/^[\t -~]*$/.test(value)) {
    throw new SettingMistake('name=value pairs of header fields, separated by commas')
  }
  return text
}

/** A resource attribute as `name=value`, the value percent-encoded where needed. */
export function attributePair(text: string): string {
  pairOf(text)
  return text
}

/** The parts of a pair. The value is decoded. @throws SettingMistake */
export function pairOf(text: string): { readonly name: string; readonly value: string } {
  const equals = text.indexOf('=')
  const name = text.slice(0, equals).trim()
  try {
    if (equals > 0 && name !== '') {
      return { name, value: decodeURIComponent(text.slice(equals + 1).trim()) }
    }
  } catch {
    // The percent-encoding is not valid.
  }
  throw new SettingMistake('name=value pairs, separated by commas')
}

/** The fraction of traces to record. */
export function shareOf(text: string): number {
  const share = Number(text)
  if (!/^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) || share > 1)
    throw new SettingMistake('a number from 0 to 1')
  return share
}
