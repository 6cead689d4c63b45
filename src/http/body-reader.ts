import type { Readable } from 'node:stream'
import { countBodyBytes } from './body-garbage.ts'

const wakingEvents = ['readable', 'end', 'error', 'close'] as const

/** Why a body could not be read to its end. */
export type BodyFailure =
  /** The connection ended before it. */
  | 'gone'
  /** The client sent nothing for the idle timeout while the reader waited. */
  | 'idle'
  /** Bytes kept arriving, but the complete body took too long. */
  | 'late'

const messages: Readonly<Record<BodyFailure, string>> = {
  gone: 'the connection ended before the end of the body',
  idle: 'the body stopped arriving',
  late: 'the body took too long to arrive',
}

export class BodyError extends Error {
  readonly kind: BodyFailure

  constructor(kind: BodyFailure, options?: ErrorOptions) {
    super(messages[kind], options)
    this.name = 'BodyError'
    this.kind = kind
  }
}

/**
 * Reads a body piece by piece. Unlike iteration of the stream it leaves the stream, and with it the
 * connection, alone when the reader stops early, so that an error can still be answered.
 */
export class BodyReader {
  readonly #body: Readable
  readonly #idleTimeoutMs: number
  #timer: NodeJS.Timeout | undefined
  #isTimedOut = false
  #wake: (() => void) | undefined
  readonly #onEvent = (): void => this.#wake?.()

  constructor(body: Readable, idleTimeoutMs: number) {
    this.#body = body
    this.#idleTimeoutMs = idleTimeoutMs
    for (const event of wakingEvents) body.on(event, this.#onEvent)
  }

  /**
   * The next available bytes; undefined at the end.
   *
   * @throws BodyError
   */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      const bytes: Buffer | null = this.#body.read()
      if (bytes !== null) {
        countBodyBytes(bytes.length)
        return bytes
      }
      if (this.#body.readableEnded) return undefined
      if (this.#body.destroyed) throw new BodyError('gone', { cause: this.#body.errored })
      if (this.#isTimedOut) throw new BodyError('idle')
      await this.#something()
    }
  }

  /** Stops listening. The rest of the body stays unread. */
  close(): void {
    clearTimeout(this.#timer)
    for (const event of wakingEvents) this.#body.off(event, this.#onEvent)
  }

  #something(): Promise<void> {
    // One timer for the whole body, moved on at each wait; time spent writing does not count.
    if (this.#timer === undefined) this.#timer = setTimeout(this.#onIdle, this.#idleTimeoutMs)
    else this.#timer.refresh()
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined
        resolve()
      }
    })
  }

  readonly #onIdle = (): void => {
    if (this.#wake === undefined) return
    this.#isTimedOut = true
    this.#wake()
  }
}
