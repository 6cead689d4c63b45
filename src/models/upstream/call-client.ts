import { Agent, buildConnector, type Dispatcher } from 'undici'
import { ApiError } from '../../platform/json-api/api-error.ts'

export interface CallTimes {
  readonly connectMs: number
  /** The maximum time between bytes of an answer, while they are read. */
  readonly idleMs: number
}

/** A call that is ready to send. */
export interface UpstreamCall {
  readonly url: string
  /** Default: POST. */
  readonly method?: 'GET' | 'DELETE' | undefined
  /** Name, value, name, value … */
  readonly headers: string[]
  /** Read once. undici keeps it until the end of the answer, and does not read an iterable until it is connected. */
  readonly body: AsyncIterable<Buffer> | Buffer | undefined
  readonly stop: CallStop
}

/** The answer of an upstream. The caller must read its body or stop the call. */
export interface UpstreamReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: AsyncIterableIterator<Buffer, undefined>
}

/** Stops one call, once. An AbortController and its event would take a tenth of the time of a small call. */
export class CallStop {
  #reason: Error | undefined
  #abort: ((reason: Error) => void) | undefined

  get reason(): Error | undefined {
    return this.#reason
  }

  /** Without effect on an answer that is complete. */
  stop(reason: Error): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#abort?.(reason)
  }

  /** Replaces the function that was given before. */
  onStop(abort: (reason: Error) => void): void {
    this.#abort = abort
    if (this.#reason !== undefined) abort(this.#reason)
  }
}

/** Why there is no answer. */
export type NoAnswer =
  /** The upstream cannot be reached, or its certificate is not trusted. */
  | 'unreachable'
  /** No connection was made in time. */
  | 'connect-timeout'
  /** The connection was closed before an answer. */
  | 'closed'
  /** The same for a reused connection: it may have been closed before the call. */
  | 'stale'

/** Fields and message never contain the key. */
export class NoAnswerError extends Error {
  readonly kind: NoAnswer

  constructor(kind: NoAnswer, options?: ErrorOptions) {
    super(`no answer of an upstream: ${kind}`, options)
    this.name = 'NoAnswerError'
    this.kind = kind
  }
}

const maxHeaderBytes = 64 * 1024
const closedCodes: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** Sends calls to upstreams, over connections that stay open for the next one. Follows no redirects. */
export class CallClient {
  readonly #agent: Agent
  /** When the connection of an error was made. */
  readonly #connectedAtMs = new WeakMap<object, number>()

  constructor({ connectMs, idleMs }: CallTimes) {
    const connect = buildConnector({ timeout: connectMs, allowH2: false })
    this.#agent = new Agent({
      connect: (options, callback) =>
        connect(options, (...made) => {
          const [, socket] = made
          const atMs = performance.now()
          // Before undici's listener, which passes the error to the call.
          socket?.prependListener('error', (error) => this.#connectedAtMs.set(error, atMs))
          callback(...made)
        }),
      // The caller limits the time to the first byte of the body.
      headersTimeout: 0,
      bodyTimeout: idleMs,
      maxHeaderSize: maxHeaderBytes,
      allowH2: false,
    })
  }

  /** @throws NoAnswerError; ApiError of the body; the reason of the stop */
  async send({ url, method, headers, body, stop }: UpstreamCall): Promise<UpstreamReply> {
    const { origin, pathname, search } = new URL(url)
    const startedAtMs = performance.now()
    const answer = new Answer()
    stop.onStop((reason) => answer.abort(reason))
    try {
      this.#agent.dispatch(
        {
          ...{ origin, path: pathname + search, method: method ?? 'POST', headers },
          // Not in undici's types, but it accepts any iterable.
          body: (body ?? null) as Buffer & AsyncIterable<Buffer>,
        },
        answer,
      )
      return await answer.reply
    } catch (error) {
      if (stop.reason !== undefined) throw stop.reason
      // Reading the client's body failed.
      if (error instanceof ApiError) throw error
      const connectedAtMs = this.#connectedAtMs.get(error as object)
      // Also after an answer that is not HTTP: undici ends the connection.
      const kind = connectedAtMs === undefined ? kindOf(error) : 'closed'
      const isStale =
        kindOf(error) === 'closed' && connectedAtMs !== undefined && connectedAtMs < startedAtMs
      throw new NoAnswerError(isStale ? 'stale' : kind, { cause: error })
    }
  }

  /** Ends all calls. */
  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}

/** More bytes of an answer are not held for a reader that is slow. */
const maxUnreadBytes = 64 * 1024

/** An answer as undici hands it over, without a stream for each. */
class Answer implements Dispatcher.DispatchHandler, AsyncIterableIterator<Buffer, undefined> {
  readonly #begun = Promise.withResolvers<UpstreamReply>()
  #controller: Dispatcher.DispatchController | undefined
  readonly #unread: Buffer[] = []
  #unreadBytes = 0
  /** Of a reader that waits. */
  #next: PromiseWithResolvers<IteratorResult<Buffer, undefined>> | undefined
  #isComplete = false
  #error: Error | undefined

  get reply(): Promise<UpstreamReply> {
    return this.#begun.promise
  }

  /** Without effect if it is complete. */
  abort(reason: Error): void {
    if (this.#isComplete) return
    this.#unread.length = 0
    this.#fail(reason)
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#error !== undefined) controller.abort(this.#error)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamReply['headers'],
  ): void {
    // RFC 9110 section 15.2: others come before the answer.
    if (status >= 200) this.#begun.resolve({ status, headers, body: this })
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    const next = this.#takeNext()
    if (next !== undefined) {
      next.resolve({ done: false, value: piece })
      return
    }
    this.#unread.push(piece)
    this.#unreadBytes += piece.length
    if (this.#unreadBytes >= maxUnreadBytes) controller.pause()
  }

  onResponseEnd(): void {
    this.#isComplete = true
    this.#takeNext()?.resolve({ done: true, value: undefined })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error)
  }

  /** The pieces that have arrived come before an error. */
  next(): Promise<IteratorResult<Buffer, undefined>> {
    const value = this.#unread.shift()
    if (value !== undefined) {
      this.#unreadBytes -= value.length
      if (this.#unread.length === 0) this.#controller?.resume()
      return Promise.resolve({ done: false, value })
    }
    if (this.#error !== undefined) return Promise.reject(this.#error)
    if (this.#isComplete) return Promise.resolve({ done: true, value: undefined })
    this.#next = Promise.withResolvers()
    return this.#next.promise
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #fail(error: Error): void {
    this.#error ??= error
    this.#begun.reject(error)
    this.#takeNext()?.reject(error)
  }

  #takeNext(): PromiseWithResolvers<IteratorResult<Buffer, undefined>> | undefined {
    const next = this.#next
    this.#next = undefined
    return next
  }
}

function kindOf(error: unknown): Exclude<NoAnswer, 'stale'> {
  const { code } = error as { readonly code?: unknown }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'connect-timeout'
  return closedCodes.has(code) ? 'closed' : 'unreachable'
}
