import { Readable } from 'node:stream'
import type { ChecksumAlgorithm } from '../../../../platform/checksums/checksum.ts'
import { untilAborted, withDeadline } from '../../../../platform/process/time-limit.ts'
import { DriveError } from '../../drive-error.ts'
import { noAnswer, stallMs } from './store.ts'
import { Trailer } from './trailer.ts'

export interface Sending {
  readonly body: Readable
  readonly signal: AbortSignal
  readonly trailer?: ChecksumAlgorithm | undefined
}

/**
 * A body of known size that is sent while it arrives. Its last byte is held back until `finish`, so that the store never
 * stores a body that turns out to be wrong.
 */
export class StreamedBody<Result> {
  readonly #size: number
  readonly #body = new LentBody()
  readonly #trailer: Trailer | undefined
  readonly #abort = new AbortController()
  readonly #sent: Promise<Result>
  #last = new Uint8Array()
  #total = 0
  #failure: { readonly error: unknown } | undefined

  /**
   * @param size at least 1
   * @param trailer the algorithm of the checksum at the end
   */
  constructor(
    size: number,
    trailer: ChecksumAlgorithm | undefined,
    send: (sending: Sending) => Promise<Result>,
  ) {
    this.#size = size
    this.#trailer = trailer && new Trailer(trailer, size)
    this.#sent = send({ body: this.#body, signal: this.#abort.signal, trailer })
    this.#sent.catch((error: unknown) => {
      this.#failure = { error }
      this.#body.destroy()
    })
  }

  /** @throws DriveError, also if the store answers before it has all bytes */
  async write(chunk: Uint8Array): Promise<void> {
    this.#requireSending()
    this.#total += chunk.length
    if (this.#total > this.#size) throw this.#wrongSize()
    const isLast = this.#total === this.#size
    const now = isLast ? chunk.subarray(0, -1) : chunk
    if (isLast) this.#last = Uint8Array.from(chunk.subarray(-1))
    if (now.length === 0) return
    for (const piece of this.#trailer?.framed(now) ?? [now]) {
      await this.#bounded(this.#body.lend(piece))
      this.#requireSending()
    }
  }

  /** Sends the last byte. @returns the store's answer */
  async finish(): Promise<Result> {
    this.#requireSending()
    if (this.#total !== this.#size) throw this.#wrongSize()
    const trailer = this.#trailer
    this.#body.end(
      trailer ? Buffer.concat([...trailer.framed(this.#last), trailer.tail()]) : this.#last,
    )
    return await this.#bounded(this.#sent)
  }

  /** The trailer that the store has verified, with the SDK's name: Garage does not return it. */
  get checksum(): Readonly<Record<string, string>> {
    return this.#trailer?.checksum ?? {}
  }

  /** Ends the request before its last byte. */
  abort(): void {
    this.#abort.abort(new DriveError('changed', 'This draft has ended.'))
    this.#body.destroy()
  }

  async #bounded<Value>(work: Promise<Value>): Promise<Value> {
    const late = () => noAnswer(stallMs)
    try {
      return await withDeadline(stallMs, late, (signal) => untilAborted(work, signal))
    } catch (error) {
      this.#abort.abort(error)
      throw error
    }
  }

  #requireSending(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  #wrongSize(): TypeError {
    return new TypeError(`${this.#total} bytes of a body of ${this.#size}`)
  }
}

/**
 * A body that lends its request one chunk at a time and learns when the kernel has it. With copies of large chunks, V8
 * collects garbage about every 50 MiB, which took a third of the CPU time of a large PUT.
 */
export class LentBody extends Readable {
  #request: NodeJS.WritableStream | undefined
  #next: Uint8Array | undefined
  #giveBack = (): void => undefined
  #last: Uint8Array | undefined

  /** Resolves when the chunk may be reused: it was sent, or the body has ended. */
  async lend(chunk: Uint8Array): Promise<void> {
    if (this.destroyed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#giveBack = resolve
    this.#next = chunk
    this.#pass()
    await promise
  }

  /** Ends the body with these bytes. */
  end(bytes: Uint8Array): void {
    this.#last = bytes
    this.#pass()
  }

  /** The SDK calls it to send the body. */
  override pipe<Target extends NodeJS.WritableStream>(request: Target): Target {
    this.#request = request
    this.#pass()
    return request
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#giveBack()
    done(error)
  }

  #pass(): void {
    const [request, chunk, giveBack] = [this.#request, this.#next, this.#giveBack]
    if (request === undefined) return
    this.#next = undefined
    if (chunk !== undefined) request.write(chunk, () => giveBack())
    if (this.#last !== undefined) request.end(this.#last)
  }
}
