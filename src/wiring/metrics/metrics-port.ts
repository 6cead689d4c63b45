import { HttpServer, type TlsIdentity } from '../../http/server.ts'
import { renderFault } from '../gateway.ts'
import type { Log } from '../log.ts'
import { json } from '../probes/health.ts'
import { type Settings, tlsIdentityOf } from '../settings/read-settings.ts'
import { portMetrics } from './metrics-handler.ts'
import type { Scrape } from './scraper.ts'

/** Scrapers are few. A client that stalls must not keep the memory of many replies. */
const maxConnections = 32
const idleWriteMs = 10_000
const headersMs = 10_000
const stopGraceMs = 1_000

export interface MetricsPort {
  replaceTls(tls: TlsIdentity): void
  stop(): Promise<void>
}

export interface MetricsPortParts {
  readonly settings: Settings
  readonly log: Log
  readonly scrape: Scrape | undefined
}

/**
 * Serves metrics on METRICS_PORT, if it is set, with the certificate of the main port.
 *
 * @throws the system's error when the port can't be listened on.
 */
export async function openMetricsPort({
  settings,
  log,
  scrape,
}: MetricsPortParts): Promise<MetricsPort | undefined> {
  const { metricsPort, metricsToken: token, host } = settings
  if (metricsPort === undefined || scrape === undefined) return undefined
  const tls = tlsIdentityOf(settings)
  const onFailure = (error: unknown) => log.error({ err: error }, 'a scrape failed')
  const server = new HttpServer({
    handler: portMetrics({ scrape, token, onFailure }),
    renderFault,
    refuseExtra: async () => json(503, { message: 'Too many connections. Try again later.' }),
    ...{ maxConnections, idleWriteMs, headersMs },
    ...(tls === undefined ? {} : { tls }),
  })
  const port = await server.listen({ host, port: metricsPort })
  log.info({ port }, 'serving metrics')
  return {
    replaceTls: (identity) => server.replaceTls(identity),
    async stop() {
      await server.stop(stopGraceMs)
    },
  }
}
