import { Readable } from 'node:stream'
import { BodyError, BodyReader } from '../http/body-reader.ts'
import type { HttpRequest } from '../http/message.ts'

export interface BodyTimes {
  /** The maximum pause between bytes. */
  readonly idleMs: number
  /** The maximum time for the whole body; evaluated when reading begins. */
  readonly totalMs: () => number | undefined
}

/**
 * The body of a request as a stream. It sends 100 Continue when reading starts; destroying it leaves
 * the connection open.
 */
export class JsonRequestBody extends Readable {
  readonly #request: HttpRequest
  readonly #times: BodyTimes
  #timer: NodeJS.Timeout | undefined
  #reader: BodyReader | undefined

  /** Fails with BodyError when the body is late or incomplete. */
  constructor(request: HttpRequest, times: BodyTimes) {
    super()
    this.#request = request
    this.#times = times
  }

  override _read(): void {
    if (this.#reader === undefined) {
      this.#request.acceptBody()
      this.#reader = new BodyReader(this.#request.body, this.#times.idleMs)
      const totalMs = this.#times.totalMs()
      if (totalMs !== undefined) this.#timer = setTimeout(() => this.#giveUp(), totalMs)
    }
    this.#reader.next().then(
      (bytes) => this.push(bytes ?? null),
      (error: Error) => this.destroy(error),
    )
  }

  #giveUp(): void {
    if (!this.readableEnded) this.destroy(new BodyError('late'))
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.#timer)
    this.#reader?.close()
    callback(error)
  }
}
