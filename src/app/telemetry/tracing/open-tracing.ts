import type { Settings } from '../../settings/read-settings.ts'
import type { Log } from '../log.ts'
import type { Tracing } from './tracing.ts'

/**
 * Starts traces if an address for them is set. Otherwise OpenTelemetry is not loaded, and nothing is
 * wrapped: the path of a request is the same as without this file.
 */
export async function openTracing(settings: Settings, log: Log): Promise<Tracing | undefined> {
  const url = tracesAddress(settings)
  if (url === undefined) return undefined
  const { startTracing } = await import('./start-tracing.ts')
  return startTracing(url, settings, log)
}

/** OpenTelemetry, "OpenTelemetry Protocol Exporter", "Endpoint URLs for OTLP/HTTP". */
function tracesAddress(settings: Settings): string | undefined {
  const { otelSdkDisabled, otlpEndpoint, otlpTracesEndpoint } = settings
  if (otelSdkDisabled) return undefined
  if (otlpTracesEndpoint !== undefined) return otlpTracesEndpoint
  return otlpEndpoint === undefined ? undefined : `${otlpEndpoint.replace(/\/$/, '')}/v1/traces`
}
