import { HttpServer } from '../http/server.ts'
import { clientOf } from './client-of.ts'
import { renderFault } from './gateway.ts'
import { type Log, refusalLogger, requestLogger } from './log.ts'
import type { Service } from './service.ts'
import { type Settings, type TlsIdentity, tlsIdentityOf } from './settings/read-settings.ts'

/** How long running requests may take to finish when the program stops. */
export const stopGraceMs = 25_000

/** A service on a port of this process. */
export interface Serving {
  readonly port: number
  replaceTls(tls: TlsIdentity): void
  /** Lets running requests finish. */
  stop(): Promise<void>
}

export interface ServeOptions {
  readonly settings: Settings
  readonly log: Log
  readonly service: Service
}

/** @throws the system's error when the port can't be listened on; and what `connect` throws. */
export async function serve({ settings, log, service }: ServeOptions): Promise<Serving> {
  const tls = tlsIdentityOf(settings)
  const { failures } = service
  const logRequest = requestLogger(log, clientOf(settings))
  const logRefusal = refusalLogger(log)
  const server = new HttpServer({
    handler: await service.connect(),
    renderFault,
    onFinish(request, outcome) {
      logRequest(request, outcome)
      failures.onFinish(request, outcome)
    },
    onRefuse(refusal) {
      logRefusal(refusal)
      failures.onRefuse(refusal)
    },
    ...(tls === undefined ? {} : { tls }),
  })
  const port = await server.listen({ host: settings.host, port: settings.port })
  service.warmUp()
  return {
    port,
    replaceTls: (identity) => server.replaceTls(identity),
    async stop() {
      const isClean = await server.stop(stopGraceMs)
      if (!isClean) log.warn('requests that did not finish in time were cut')
    },
  }
}
