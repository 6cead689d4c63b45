import { hash, timingSafeEqual } from 'node:crypto'
import type { HttpHandler, HttpReply } from '../../../platform/http/message.ts'
import { HttpServer, type TlsIdentity } from '../../../platform/http/server.ts'
import { renderFault } from '../../gateway/gateway.ts'
import { json, probe } from '../../gateway/health.ts'
import { tlsIdentityOf } from '../../settings/cross-checks.ts'
import type { Settings } from '../../settings/read-settings.ts'
import type { Log } from '../log.ts'
import type { Scrape } from './scraper.ts'
import { metricsContentType } from './snapshot.ts'

export interface MetricsHandlerParts {
  /** Absent if metrics are off. */
  readonly scrape: Scrape | undefined
  /** METRICS_TOKEN. */
  readonly token: string | undefined
  readonly onFailure: (error: unknown) => void
}

const off = json(404, {
  message:
    'Metrics are not served on this port. Set METRICS_TOKEN to serve them here, or METRICS_PORT to serve them on another port.',
})

const refused = json(401, { message: 'expected the METRICS_TOKEN as a bearer token' }, [
  ['WWW-Authenticate', 'Bearer realm="metrics"'],
])

/** GET /-/metrics on the port of S3: only with METRICS_TOKEN, because that port may be public. */
export function publicMetrics(parts: MetricsHandlerParts): HttpHandler {
  const { scrape, token } = parts
  return scrape === undefined || token === undefined
    ? probe(async () => off)
    : metricsOf({ ...parts, scrape })
}

/** GET /-/metrics, or /metrics, on METRICS_PORT. */
export function portMetrics(parts: MetricsHandlerParts & { readonly scrape: Scrape }): HttpHandler {
  const handler = metricsOf(parts)
  return async (request) => {
    const isKnown = request.rawPath === '/-/metrics' || request.rawPath === '/metrics'
    return isKnown ? await handler(request) : json(404, { message: 'expected /-/metrics' })
  }
}

function metricsOf({
  scrape,
  token,
  onFailure,
}: MetricsHandlerParts & { readonly scrape: Scrape }): HttpHandler {
  const isAllowed = bearerCheck(token)
  return probe(async ({ headers }): Promise<HttpReply> => {
    if (!isAllowed(headers.authorization)) return refused
    try {
      return {
        status: 200,
        headers: [
          ['Content-Type', metricsContentType],
          ['Cache-Control', 'no-store'],
        ],
        body: await scrape(),
      }
    } catch (error) {
      onFailure(error)
      return json(503, { message: 'The metrics could not be gathered; the log has the reason.' })
    }
  })
}

/** Digests have equal lengths, so that the comparison takes the same time for every token. */
function bearerCheck(token: string | undefined): (authorization: string | undefined) => boolean {
  if (token === undefined) return () => true
  const digest = hash('sha256', token, 'buffer')
  return (authorization = '') => {
    const scheme = /^bearer +/i.exec(authorization)?.[0]
    if (scheme === undefined) return false
    return timingSafeEqual(hash('sha256', authorization.slice(scheme.length), 'buffer'), digest)
  }
}

/** There are few scrapers. Stalled clients must not hold the memory of many replies. */
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
