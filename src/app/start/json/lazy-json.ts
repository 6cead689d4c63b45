import type { HttpHandler } from '../../../platform/http/message.ts'
import type { JsonProtocolParts } from './json-routes.ts'

/**
 * The JSON protocols, loaded when they are first asked for: the schemas and the catalogue
 * take 0.2 s of the start and 14 MiB of every process, and many gateways serve S3 alone.
 */
export class LazyJson {
  readonly #parts: JsonProtocolParts
  readonly #closers: (() => Promise<void>)[] = []
  #opened: Promise<HttpHandler> | undefined

  constructor(parts: Omit<JsonProtocolParts, 'onClose'>) {
    this.#parts = { ...parts, onClose: (close) => this.#closers.push(close) }
  }

  readonly handler: HttpHandler = async (request) => {
    const handler = await this.open()
    return handler(request)
  }

  /** Loads them now. @throws CatalogueError, for people, when MODEL_CATALOGUE has mistakes. */
  open(): Promise<HttpHandler> {
    this.#opened ??= import('./json-routes.ts')
      .then(({ openJsonProtocols }) => openJsonProtocols(this.#parts))
      .catch((error: unknown) => {
        // A file that could not be read may be readable the next time.
        this.#opened = undefined
        throw error
      })
    return this.#opened
  }

  /** Call it when no request is running. */
  async close(): Promise<void> {
    for (const close of this.#closers) await close()
  }
}
