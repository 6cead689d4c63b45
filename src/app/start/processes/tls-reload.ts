import type { TlsIdentity } from '../../../platform/http/server.ts'
import type { Environment } from '../../settings/environment.ts'
import { readTls } from '../../settings/read-settings.ts'
import type { Log } from '../../telemetry/log.ts'

export interface TlsReloadOptions {
  /** Undefined: the port speaks plain HTTP, which only a restart changes. */
  readonly current: TlsIdentity | undefined
  /** The current environment, with the current content of the first start's file. */
  readonly readEnvironment: () => Promise<Environment>
  readonly replace: (tls: TlsIdentity) => void
  readonly log: Log
}

/** Reloads certificate and key, for SIGHUP. If they can't be read, the old ones stay in use. */
export class TlsReload {
  readonly #options: TlsReloadOptions
  #current: TlsIdentity | undefined

  constructor(options: TlsReloadOptions) {
    this.#options = options
    this.#current = options.current
  }

  async run(): Promise<void> {
    const { log } = this.#options
    try {
      const tls = readTls(await this.#options.readEnvironment())
      if (this.#current === undefined && tls === undefined) {
        log.info('SIGHUP: TLS_CERT and TLS_KEY are not set; no certificate was read')
      } else if (this.#current === undefined) {
        log.warn('SIGHUP: TLS_CERT and TLS_KEY are set now; restart to serve HTTPS')
      } else if (tls === undefined) {
        log.warn('SIGHUP: TLS_CERT and TLS_KEY are no longer set; the certificate stays in use')
      } else if (tls.cert === this.#current.cert && tls.key === this.#current.key) {
        log.info('SIGHUP: the certificate is unchanged')
      } else {
        this.#options.replace(tls)
        this.#current = tls
        log.info('certificate reloaded')
      }
    } catch (error) {
      log.error({ err: error }, 'could not reload the certificate; the current one stays in use')
    }
  }
}
