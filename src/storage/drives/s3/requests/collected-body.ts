import { Limiter } from '../../../../platform/process/limiter.ts'
import { withDeadline } from '../../../../platform/process/time-limit.ts'
import { DriveError } from '../../drive-error.ts'
import type { StreamedBody } from './streamed-body.ts'

const mebibyte = 1024 * 1024
/** The bytes that every body may hold in memory. */
const freeBytes = 64 * 1024
/** Bodies up to this size are sent when they are complete, so that they can be sent again. */
const wholeBytes = mebibyte
/** How many bodies above `freeBytes` a process collects whole. Others are sent while they arrive. */
const wholeAtOnce = 64
/** How many bodies without a length are collected, in parts of 8 to 16 MiB. Others wait. */
const unsizedAtOnce = 16
/** How long a body without a length waits for memory. */
const waitMs = 30_000
/** The maximum size of one request (API reference, PutObject). */
const maxSentBytes = 5 * 1024 ** 3

/** Limits the memory of a process for bodies on their way to the store. */
export class BodyMemory {
  readonly #whole = new Limiter(wholeAtOnce)
  readonly #unsized = new Limiter(unsizedAtOnce)

  enterWhole(): (() => void) | undefined {
    return this.#whole.enterNow()
  }

  /** @throws DriveError `busy` if others do not free memory in time; the signal's reason */
  async enterUnsized(signal: AbortSignal | undefined): Promise<() => void> {
    const message = 'Too many bodies without a length are being sent. Send the request again.'
    const busy = () => new DriveError('busy', message)
    return await withDeadline(waitMs, busy, (late) =>
      this.#unsized.enter(signal ? AbortSignal.any([signal, late]) : late),
    )
  }
}

interface BodyOptions<Result> {
  readonly memory: BodyMemory
  readonly size: number | undefined
  readonly signal: AbortSignal | undefined
  /** Begins to send a body of this size while it arrives. */
  readonly stream: (size: number) => Promise<StreamedBody<Result>>
}

/** The bytes of a draft or a part: held in memory if they are few or their number is unknown, otherwise sent while they arrive. */
export class CollectedBody<Result> {
  readonly #options: BodyOptions<Result>
  #chunks: Buffer[] = []
  #collected = 0
  #total = 0
  #streamed: StreamedBody<Result> | undefined
  #leaveMemory: (() => void) | undefined
  #isUnsized = false

  constructor(options: BodyOptions<Result>) {
    this.#options = options
  }

  /** Bytes in memory. */
  get collected(): number {
    return this.#collected
  }

  /** All bytes that were written. */
  get total(): number {
    return this.#total
  }

  get streamed(): StreamedBody<Result> | undefined {
    return this.#streamed
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#options.signal?.throwIfAborted()
    this.#total += chunk.length
    if (this.#streamed !== undefined) return await this.#streamed.write(chunk)
    // The caller may use the chunk again.
    this.#chunks.push(Buffer.from(chunk))
    this.#collected += chunk.length
    if (this.#collected > freeBytes) await this.#makeSpace()
  }

  /** Takes the first bytes, or all. */
  take(bytes = this.#collected): Buffer {
    const all = Buffer.concat(this.#chunks)
    this.#chunks = [all.subarray(bytes)]
    this.#collected -= bytes
    return all.subarray(0, bytes)
  }

  /** Releases the memory, and ends a request that is being sent. */
  end(): void {
    this.#chunks = []
    this.#streamed?.abort()
    this.#leaveMemory?.()
  }

  async #makeSpace(): Promise<void> {
    const { memory, size = 0, signal, stream } = this.#options
    const isSized = size <= maxSentBytes && this.#total <= size
    // A size is a hint up to 1 MiB (DraftOptions).
    if (isSized && this.#collected <= wholeBytes) this.#leaveMemory ??= memory.enterWhole()
    const isKept = this.#collected <= wholeBytes && this.#leaveMemory !== undefined
    if (isSized && !isKept) {
      this.#streamed = await stream(size)
      await this.#streamed.write(this.take())
      this.#leaveMemory?.()
    } else if (!isSized && !this.#isUnsized) {
      this.#isUnsized = true
      this.#leaveMemory?.()
      this.#leaveMemory = await memory.enterUnsized(signal)
    }
  }
}
