import { Readable } from 'node:stream'
import { BodyReader } from '../http/body-reader.ts'
import type { HttpRequest } from '../http/message.ts'

/**
 * The body of a request as a stream of its own: asked of the client (100 Continue) when somebody
 * reads it, and left alone, with the connection, when that somebody stops.
 */
export class RequestBody extends Readable {
  readonly #request: HttpRequest
  readonly #idleTimeoutMs: number
  #reader: BodyReader | undefined

  /** Fails with BodyError when nothing comes for `idleTimeoutMs`, or never again. */
  constructor(request: HttpRequest, idleTimeoutMs: number) {
    super()
    this.#request = request
    this.#idleTimeoutMs = idleTimeoutMs
  }

  override _read(): void {
    if (this.#reader === undefined) {
      this.#request.acceptBody()
      this.#reader = new BodyReader(this.#request.body, this.#idleTimeoutMs)
    }
    this.#reader.next().then(
      (bytes) => this.push(bytes ?? null),
      (error: Error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#reader?.close()
    callback(error)
  }
}
