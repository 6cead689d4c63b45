import { Limiter } from '../../../../platform/process/limiter.ts'
import { longestLagMs, minimumRate } from '../../../../platform/process/slow-client.ts'
import type { ReadPriority } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'

/** How often a waiting reader checks for one that has fallen behind. */
const lookEveryMs = 1_000

export interface ReaderOptions {
  readonly priority: ReadPriority
  /** Ends the read and releases its connection, even while its next bytes are not requested. */
  readonly end: (reason: DriveError) => void
  /** Milliseconds of a clock that is never set back. */
  readonly elapsed?: () => number
}

/** A read for a client, and how far the client is behind. */
export class Reader {
  readonly priority: ReadPriority
  readonly #options: ReaderOptions
  readonly #elapsed: () => number
  #lagMs = 0
  /** Since when the client has unread bytes; undefined while the read waits for the drive. */
  #gaveAt: number | undefined

  constructor(options: ReaderOptions) {
    this.priority = options.priority
    this.#options = options
    this.#elapsed = options.elapsed ?? (() => performance.now())
  }

  /** Call it before bytes are passed to the client. */
  gave(): void {
    this.#gaveAt = this.#elapsed()
  }

  /** Call it when the client requests more. */
  took(bytes: number): void {
    this.#lagMs = Math.max(0, this.lagMs - (bytes / minimumRate) * 1_000)
    this.#gaveAt = undefined
  }

  /** How far the client is behind the minimum rate, not counting the drive's time. */
  get lagMs(): number {
    return this.#lagMs + (this.#gaveAt === undefined ? 0 : this.#elapsed() - this.#gaveAt)
  }

  end(): void {
    const message = `The client reads less than ${minimumRate / 1024} KiB/s, and others are waiting.`
    this.#options.end(new DriveError('busy', message))
  }
}

/**
 * Limits the connections to a drive. Readers of low priority get at most half of them, so that they can't block the
 * others. While a reader waits, one whose client is too slow is ended to make room.
 */
export class ReadLimiter {
  readonly #all: Limiter
  readonly #low: Limiter
  readonly #reading = new Set<{ readonly reader: Reader }>()

  constructor(size: number) {
    this.#all = new Limiter(size)
    this.#low = new Limiter(Math.max(1, Math.floor(size / 2)))
  }

  /** Requests that wait for a connection. */
  get waiting(): number {
    return this.#all.waiting + this.#low.waiting
  }

  /** As Limiter.enterNow. */
  enterNow(reader?: Reader): (() => void) | undefined {
    const leaveLow = reader?.priority === 'low' ? this.#low.enterNow() : noPlace
    if (leaveLow === undefined) return undefined
    const leave = this.#all.enterNow()
    if (leave === undefined) leaveLow()
    return leave && this.#begin(reader, [leave, leaveLow])
  }

  /** As Limiter.enter. */
  async enter(signal: AbortSignal, reader?: Reader): Promise<() => void> {
    const stopLooking = this.#lookForSlow(reader?.priority ?? 'normal')
    let leaveLow: () => void = noPlace
    try {
      if (reader?.priority === 'low') leaveLow = await this.#low.enter(signal)
      const leave = await this.#all.enter(signal)
      return this.#begin(reader, [leave, leaveLow])
    } catch (error) {
      leaveLow()
      throw error
    } finally {
      stopLooking()
    }
  }

  #begin(reader: Reader | undefined, leaves: readonly (() => void)[]): () => void {
    const entry = reader && { reader }
    if (entry !== undefined) this.#reading.add(entry)
    return () => {
      if (entry !== undefined) this.#reading.delete(entry)
      for (const leave of leaves) leave()
    }
  }

  /** Ends one slow reader, now or later. Returns a function that stops the search. */
  #lookForSlow(priority: ReadPriority): () => void {
    const timer = setInterval(() => look(), lookEveryMs)
    const look = () => {
      if (this.#endSlowest(priority)) clearInterval(timer)
    }
    look()
    return () => clearInterval(timer)
  }

  /** Prefers readers of low priority. A reader of low priority can only end others of low priority. */
  #endSlowest(priority: ReadPriority): boolean {
    const slow = [...this.#reading]
      .filter(({ reader }) => priority === 'normal' || reader.priority === 'low')
      .filter(({ reader }) => reader.lagMs >= longestLagMs)
      .sort((a, b) => rankOf(b.reader) - rankOf(a.reader))
    const [slowest] = slow
    if (slowest === undefined) return false
    this.#reading.delete(slowest)
    slowest.reader.end()
    return true
  }
}

function rankOf({ priority, lagMs }: Reader): number {
  return priority === 'low' ? Number.MAX_SAFE_INTEGER / 2 + lagMs : lagMs
}

function noPlace(): void {
  // Readers of normal priority do not use the limiter for low priority.
}
