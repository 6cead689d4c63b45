import { loadXxHashes } from '../../platform/checksums/checksum.ts'
import type { HttpHandler, HttpReply, HttpRequest } from '../../platform/http/message.ts'
import { HttpServer, type TlsIdentity } from '../../platform/http/server.ts'
import { openFileLimit } from '../../platform/process/process-limits.ts'
import { refuseExtra, renderFault } from '../gateway/gateway.ts'
import {
  clientOf,
  untrustedProxyWatch,
  warnOfUntrustedProxy,
} from '../gateway/untrusted-proxies.ts'
import { tlsIdentityOf } from '../settings/cross-checks.ts'
import { hostAndPort } from '../settings/parse-names.ts'
import type { Settings } from '../settings/read-settings.ts'
import { openAccessLog } from '../telemetry/access-log/open-access-log.ts'
import { type Log, refusalLogger, throttled } from '../telemetry/log.ts'
import { createScrape, type Scrape } from '../telemetry/metrics/scraper.ts'
import { RequestWatch } from '../telemetry/requests.ts'
import type { ConnectedService } from './service.ts'

/** Descriptors for the database, the log and other files that every process keeps open. */
const ownFiles = 128

/** Descriptors per connection: the connection, its file, and another file or a connection to the drive. */
const filesOfConnection = 3

const mostConnections = 10_000
/** Enough for 42 connections. With fewer, well-behaved clients would get 503. */
const fewestOpenFiles = 256
const overloadWarningMs = 10_000

/** The number of connections that this limit of open files allows. */
export function connectionsWithin(openFiles: number): number {
  const affordable = Math.floor((openFiles - ownFiles) / filesOfConnection)
  return Math.min(affordable, mostConnections)
}

/** @throws when the limit of open files is too low to serve. */
export function checkOpenFiles(openFiles = openFileLimit()): void {
  if (openFiles >= fewestOpenFiles) return
  throw new Error(
    `The limit of open files is ${openFiles}, but at least ${fewestOpenFiles} are required: raise the hard limit (ulimit -Hn, systemd's LimitNOFILE, docker's --ulimit nofile)`,
  )
}

/** How long running requests may take to finish when the program stops. */
export const stopGraceMs = 25_000

/** A service on a port of this process. */
export interface Serving {
  readonly port: number
  replaceTls(tls: TlsIdentity): void
  /** Continues the access log in a new file of the same name. */
  reopenAccessLog(): void
  /** Lets running requests finish. */
  stop(): Promise<void>
}

export interface ServeOptions {
  readonly settings: Settings
  readonly log: Log
  readonly service: ConnectedService
  /** Maximum number of concurrent connections. Default: as many as the limit of open files allows. */
  readonly maxConnections?: number
  /** Called with the address of a proxy that TRUST_PROXY does not name. Default: logs it. */
  readonly onUntrustedProxy?: (address: string) => void
  /** Gathers the metrics of all processes. Default: those of this process. */
  readonly scrape?: Scrape | undefined
}

/** @throws the system's error when the port can't be listened on; and what `connect` throws. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { settings, log, service } = options
  await loadXxHashes()
  const { maxConnections = connectionsWithin(openFileLimit()) } = options
  const tls = tlsIdentityOf(settings)
  const { metrics } = service
  const { scrape = metrics && createScrape({ metrics }) } = options
  const accessLog = openAccessLog({ settings, log })
  const { onUntrustedProxy = (address) => warnOfUntrustedProxy(log, address) } = options
  const logRefusal = refusalLogger(log)
  const requests = new RequestWatch({
    ...{ clientOf: clientOf(settings), spans: service.requestSpans },
    notesReplies: accessLog.notesReplies,
    sinks: [
      untrustedProxyWatch(settings, onUntrustedProxy),
      { onRequest: accessLog.onRequest, onRefuse: logRefusal },
      ...service.requestSinks,
    ],
  })
  const logFull = overloadLogger(log, maxConnections)
  const handler = requests.around(await service.connect(scrape))
  const server = new HttpServer({
    handler: tls === undefined ? handler : secured(handler),
    renderFault,
    refuseExtra: tls === undefined ? refuseExtra : secured(refuseExtra),
    maxConnections,
    onFull() {
      logFull()
      metrics?.requests.onFull()
    },
    onSlowClient: slowClientLogger(log, maxConnections),
    onFinish: (request, outcome) => requests.onFinish(request, outcome),
    onRefuse: (refusal) => requests.onRefuse(refusal),
    ...(tls === undefined ? {} : { tls }),
  })
  const port = await server.listen({ host: settings.host, port: settings.port })
  if (settings.dashboardAddress !== undefined) {
    const also = { host: settings.host, ...hostAndPort(settings.dashboardAddress) }
    await server.listenAlso(also).catch(async (error: unknown) => {
      await server.stop(0)
      throw error
    })
  }
  return {
    port,
    replaceTls: (identity) => server.replaceTls(identity),
    reopenAccessLog: () => accessLog.reopen(),
    async stop() {
      const isClean = await server.stop(stopGraceMs)
      if (!isClean) log.warn('requests that did not finish in time were aborted')
    },
  }
}

function overloadLogger(log: Log, maxConnections: number): () => void {
  return throttled(overloadWarningMs, (refused) =>
    log.warn(
      { maxConnections, refused },
      'all connections of this process are in use: new ones get 503. The limit depends on the limit of open files (ulimit -n) and WORKERS.',
    ),
  )
}

function slowClientLogger(log: Log, maxConnections: number): () => void {
  return throttled(overloadWarningMs, (closed) =>
    log.warn(
      { maxConnections, closed },
      'all connections of this process are in use: clients slower than 16 KiB/s were disconnected to make room. The limit depends on the limit of open files (ulimit -n) and WORKERS.',
    ),
  )
}

function secured(handler: HttpHandler): HttpHandler {
  return async (request) => withTransportSecurity(await handler(request), request.headers)
}

const oneYear = 31_536_000

/** Without includeSubDomains: other hosts of the domain may have no TLS. */
const field = ['Strict-Transport-Security', `max-age=${oneYear}`] as const

/**
 * The reply of a port with TLS, with the field that makes browsers use HTTPS for this host from now on
 * (RFC 6797). The field applies to all ports of a host, so it is not sent for `localhost`: browsers would also
 * use HTTPS for other programs that a developer runs there. Browsers ignore it for IP addresses.
 */
export function withTransportSecurity(
  reply: HttpReply,
  headers: HttpRequest['headers'],
): HttpReply {
  if (isLocalhost(headers.host ?? '')) return reply
  return { ...reply, headers: [...reply.headers, field] }
}

function isLocalhost(host: string): boolean {
  const name = host.replace(/:\d*$/, '').toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost')
}
