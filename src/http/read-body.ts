import type { Readable } from 'node:stream'

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

interface BodyReadOptions {
  /** The longest time without bytes, milliseconds. */
  readonly idleTimeoutMs: number
  /** Takes the next piece of the body. The one after it waits until the promise, if any, resolves. */
  readonly take: (bytes: Buffer) => Promise<void> | undefined
}

/**
 * Reads a body piece by piece. Unlike iteration of the stream it leaves the stream, and with it the
 * connection, alone when reading stops early, so that an error can still be answered.
 */
export class BodyReading {
  /**
   * Resolves at the end of the body. Rejects with what `take` throws or rejects with, and with BodyError.
   * While a piece is being taken it stays pending, even when the connection has ended: the caller may
   * free what `take` uses. Stays pending after `stop`.
   */
  readonly done: Promise<void>
  readonly #body: Readable
  readonly #take: BodyReadOptions['take']
  readonly #settle: PromiseWithResolvers<void>
  readonly #idleTimeoutMs: number
  /** Undefined while bytes are taken, which does not count. */
  #timer: NodeJS.Timeout | undefined
  /** What happens when the piece has been taken. */
  #next: 'read' | 'end' | 'gone' = 'read'
  #isStopped = false
  #pieces = 0

  constructor(body: Readable, { idleTimeoutMs, take }: BodyReadOptions) {
    this.#body = body
    this.#take = take
    this.#settle = Promise.withResolvers()
    this.done = this.#settle.promise
    this.#idleTimeoutMs = idleTimeoutMs
    this.#timer = setTimeout(this.#onIdle, idleTimeoutMs)
    if (body.readableEnded) this.#onEnd()
    else if (body.destroyed) this.#onGone()
    else body.on('data', this.#onData).on('end', this.#onEnd)
    if (!this.#isStopped) body.on('error', this.#onGone).on('close', this.#onGone).resume()
  }

  /** The rest of the body stays unread. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#body.off('data', this.#onData).off('end', this.#onEnd)
    this.#body.off('error', this.#onGone).off('close', this.#onGone).pause()
  }

  readonly #onData = (bytes: Buffer): void => {
    this.#pieces += 1
    try {
      const taking = this.#take(bytes)
      if (taking === undefined) {
        this.#timer?.refresh()
        return
      }
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#body.pause()
      taking.then(this.#onTaken, this.#fail)
    } catch (error) {
      this.#fail(error)
    }
  }

  readonly #onTaken = (): void => {
    if (this.#isStopped) return
    this.#timer = setTimeout(this.#onIdle, this.#idleTimeoutMs)
    if (this.#next === 'read') this.#body.resume()
    else this.#finish(this.#next)
  }

  /** The stream ends after its last piece even when it is paused. */
  readonly #onEnd = (): void => this.#finish('end')

  readonly #onGone = (): void => this.#finish(this.#next === 'end' ? 'end' : 'gone')

  #finish(outcome: 'end' | 'gone'): void {
    this.#next = outcome
    const isTaking = this.#timer === undefined
    if (isTaking) return
    if (outcome === 'gone') {
      this.#fail(new BodyError('gone', { cause: this.#body.errored }))
    } else {
      this.stop()
      this.#settle.resolve()
    }
  }

  /** If the process was suspended, the timer fires before the bytes that arrived meanwhile are read. */
  readonly #onIdle = (): void => {
    const pieces = this.#pieces
    setImmediate(() => {
      if (this.#pieces === pieces) this.#fail(new BodyError('idle'))
    })
  }

  readonly #fail = (error: unknown): void => {
    if (this.#isStopped) return
    this.stop()
    this.#settle.reject(error)
  }
}
