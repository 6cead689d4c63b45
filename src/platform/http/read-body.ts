import type { HttpRequest } from './message.ts'

/** Why a body could not be read to its end. */
export type BodyFailure =
  /** The connection ended before the body did. */
  | 'gone'
  /** The client sent nothing for the idle timeout while the reader waited. */
  | 'idle'
  /** Bytes kept arriving, but the whole body took too long, or its memory was needed for other bodies. */
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
  /** Maximum time without bytes. */
  readonly idleTimeoutMs: number
  /** Whether `take` keeps all bytes in memory until `release` or the end. */
  readonly isGathered?: boolean
  /** Takes the next piece of the body. If it returns a promise, the piece after it waits. */
  readonly take: (bytes: Buffer) => Promise<void> | undefined
}

/** The body of an unauthenticated client may take this time and a second for each KiB, and at most a day. */
const graceMs = 30_000
const bytesPerMs = 1_024 / 1_000
const longestMs = 24 * 3_600_000

/** Bytes in memory for the bodies of unauthenticated clients, per process. */
const maxGatheredBytes = 32 * 1024 * 1024
/** Bodies of unauthenticated clients with their bytes in memory. The first is the oldest, and so the slowest. */
const gathering = new Map<BodyReading, number>()
let gatheredBytes = 0

/**
 * Reads a body piece by piece. Unlike iteration, stopping early does not destroy the stream and its connection, so an
 * error can still be replied.
 */
export class BodyReading {
  /**
   * Resolves at the end of the body. Rejects with what `take` throws or rejects with, or with BodyError, but not while
   * `take` is running, so the caller can then release what `take` uses. Stays pending after `stop`.
   */
  readonly done: Promise<void>
  readonly #request: Pick<HttpRequest, 'body' | 'isKnown'>
  readonly #body: HttpRequest['body']
  readonly #take: BodyReadOptions['take']
  readonly #settle: PromiseWithResolvers<void>
  readonly #idleTimeoutMs: number
  /** Undefined while `take` is running, which does not count. */
  #timer: NodeJS.Timeout | undefined
  /** What follows when `take` has finished. */
  #next: 'read' | 'end' | 'gone' = 'read'
  #isStopped = false
  #isGathered: boolean
  #pieces = 0
  #bytes = 0
  /** Total time spent waiting for the client. */
  #waitedMs = 0
  #waitingSinceMs = performance.now()

  constructor(
    request: Pick<HttpRequest, 'body' | 'isKnown'>,
    { idleTimeoutMs, take, isGathered = false }: BodyReadOptions,
  ) {
    const { body } = request
    this.#request = request
    this.#body = body
    this.#isGathered = isGathered
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

  /** Declares that the bytes of this body are no longer kept in memory. */
  release(): void {
    this.#isGathered = false
    gatheredBytes -= gathering.get(this) ?? 0
    gathering.delete(this)
  }

  /** Stops reading. The rest of the body stays unread. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.release()
    clearTimeout(this.#timer)
    this.#body.off('data', this.#onData).off('end', this.#onEnd)
    this.#body.off('error', this.#onGone).off('close', this.#onGone).pause()
  }

  readonly #onData = (bytes: Buffer): void => {
    this.#pieces += 1
    try {
      this.#limitUnknownClient(bytes.length)
      if (this.#isStopped) return
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
    this.#waitingSinceMs = performance.now()
    this.#timer = setTimeout(this.#onIdle, this.#idleTimeoutMs)
    if (this.#next === 'read') this.#body.resume()
    else this.#finish(this.#next)
  }

  /** Limits time and memory of unauthenticated clients. @throws BodyError if this body takes too long */
  #limitUnknownClient(bytes: number): void {
    const nowMs = performance.now()
    this.#waitedMs += nowMs - this.#waitingSinceMs
    this.#waitingSinceMs = nowMs
    this.#bytes += bytes
    if (this.#request.isKnown) return
    const allowedMs = Math.min(graceMs + this.#bytes / bytesPerMs, longestMs)
    if (this.#waitedMs > allowedMs) throw new BodyError('late')
    if (!this.#isGathered) return
    gathering.set(this, (gathering.get(this) ?? 0) + bytes)
    gatheredBytes += bytes
    for (const oldest of gathering.keys()) {
      if (gatheredBytes <= maxGatheredBytes) return
      oldest.#fail(new BodyError('late'))
    }
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

  /** After the process was suspended, the timer fires before the bytes that arrived meanwhile are read. */
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
