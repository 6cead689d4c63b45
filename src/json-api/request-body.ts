import { Readable } from 'node:stream'
import type { HttpRequest } from '../http/message.ts'
import { BodyError, BodyReading } from '../http/read-body.ts'

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
  #reading: BodyReading | undefined
  /** Lets the next piece come. */
  #resume: (() => void) | undefined

  /** Fails with BodyError when the body is late or incomplete. */
  constructor(request: HttpRequest, times: BodyTimes) {
    super()
    this.#request = request
    this.#times = times
  }

  override _read(): void {
    if (this.#reading === undefined) this.#begin()
    else this.#resume?.()
  }

  #begin(): void {
    this.#request.acceptBody()
    this.#reading = new BodyReading(this.#request.body, {
      idleTimeoutMs: this.#times.idleMs,
      take: (bytes) => (this.push(bytes) ? undefined : this.#untilRead()),
    })
    this.#reading.done.then(
      () => this.push(null),
      (error: Error) => this.destroy(error),
    )
    const totalMs = this.#times.totalMs()
    if (totalMs !== undefined) this.#timer = setTimeout(() => this.#giveUp(), totalMs)
  }

  #untilRead(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  #giveUp(): void {
    if (!this.readableEnded) this.destroy(new BodyError('late'))
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.#timer)
    this.#reading?.stop()
    callback(error)
  }
}
