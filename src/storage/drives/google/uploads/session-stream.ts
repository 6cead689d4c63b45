import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { DriveError } from '../../drive-error.ts'
import type { GoogleApi } from '../api/google-api.ts'
import type { SessionState } from '../api/resumable-sessions.ts'
import { sessionGone } from './object-sessions.ts'
import { Blocks, blockBytes, type SendMemory, wholeBlocks } from './send-memory.ts'

const mebibyte = 1024 * 1024
/** The maximum of one request: about a second on a fast connection. */
const maxRequestBytes = 256 * mebibyte
/** The maximum that waits to be sent, and the size of requests while the end is unknown. */
const windowBytes = 8 * mebibyte
/**
 * A block this far behind may be reused: undici requests the next piece of a body when the socket has
 * drained, so all earlier ones have been sent. If that ever changes, Google's MD5 reveals it.
 */
const takenBehind = 4 * blockBytes
/** Consecutive requests in which the session made no progress. */
const maxFruitless = 3

interface SessionStreamOptions {
  readonly api: Pick<GoogleApi, 'sendChunk' | 'querySession'>
  readonly url: string
  /** Bytes that the session has. */
  readonly position: number
  /** Where the bytes will end, if known; a hint. */
  readonly expectedEnd?: number | undefined
  readonly memory: SendMemory
  /** Blocks before this were announced by an earlier stream. Default: `position`. */
  readonly announcedUntil?: number
  /** Called before any byte of these blocks is sent, with their start and marks. */
  readonly announce?: (position: number, marks: readonly string[]) => Promise<void>
  readonly signal?: AbortSignal | undefined
}

interface Block {
  readonly bytes: Buffer<ArrayBuffer>
  readonly mark: string
}

/** Ends the current request because there are no more bytes. */
class EndedEarly extends Error {}

/**
 * Sends blocks to a resumable session as they arrive, in one long request if their number is known.
 * The last blocks are kept until Google has confirmed them. If the connection breaks, the session
 * is queried and the rest is sent again.
 */
export class SessionStream {
  readonly #options: SessionStreamOptions
  readonly #stopped = new AbortController()
  readonly #signal: AbortSignal
  /** Blocks from `#first` on. */
  #blocks: Block[] = []
  #first: number
  /** Where the blocks end. */
  #end: number
  #sent: number
  /** Blocks before this are no longer read. */
  #taken: number
  #persisted: number
  #announced: number
  #announcing: Promise<void> | undefined
  #isFlushing = false
  #failure: { readonly error: unknown } | undefined
  #running: Promise<void> | undefined
  #wakers: (() => void)[] = []

  constructor(options: SessionStreamOptions) {
    const { position, signal, memory } = options
    this.#options = options
    this.#first = position
    this.#end = position
    this.#sent = position
    this.#taken = position
    this.#persisted = position
    this.#announced = Math.max(position, options.announcedUntil ?? 0)
    const signals = signal === undefined ? [] : [signal]
    this.#signal = AbortSignal.any([this.#stopped.signal, ...signals])
    memory.enter()
  }

  /** How many bytes may wait to be sent: fewer if there are other streams. */
  get #window(): number {
    return Math.min(windowBytes, this.#options.memory.share)
  }

  /**
   * Takes ownership of a block of 256 KiB, which returns to the pool when it is sent; resolves when
   * the next block may be pushed.
   *
   * @throws DriveError
   */
  async push(bytes: Buffer<ArrayBuffer>, mark = ''): Promise<void> {
    while (this.#end - this.#sent >= this.#window && this.#failure === undefined) {
      await this.#change()
    }
    this.#throwFailure()
    this.#blocks.push({ bytes, mark })
    this.#end += blockBytes
    this.#running ??= this.#run()
    this.#wake()
    // Lets sending start before a whole window of blocks is digested.
    await turnOfTheLoop()
  }

  /** Resolves when Google has all blocks. @throws DriveError */
  async flush(): Promise<void> {
    this.#isFlushing = true
    this.#wake()
    while (this.#persisted < this.#end && this.#failure === undefined) await this.#change()
    this.#isFlushing = false
    this.#throwFailure()
  }

  /** Aborts requests in progress. Never rejects; idempotent. */
  async stop(): Promise<void> {
    if (this.#stopped.signal.aborted) return
    this.#stopped.abort()
    this.#wake()
    await this.#running
    // Its failure no longer matters, but it must not write after this.
    await this.#announcing?.catch(() => undefined)
    this.#blocks = []
    this.#options.memory.leave()
  }

  async #run(): Promise<void> {
    try {
      for (let fruitless = 0; !this.#signal.aborted; ) {
        const until = this.#nextEnd()
        if (until === undefined) {
          await this.#change()
          continue
        }
        const before = this.#persisted
        this.#apply(await this.#send(until))
        fruitless = this.#persisted > before ? 0 : fruitless + 1
        if (fruitless === maxFruitless) throw keepsNothing()
      }
      this.#signal.throwIfAborted()
    } catch (error) {
      this.#failure = { error }
    }
    this.#wake()
  }

  /** Where the next request must end; undefined while it must wait for more blocks. */
  #nextEnd(): number | undefined {
    const limit = this.#persisted + maxRequestBytes
    const { expectedEnd = 0 } = this.#options
    const unsaved = this.#end - this.#persisted
    if (unsaved > 0 && !this.#isFlushing && wholeBlocks(expectedEnd) > this.#end) {
      return Math.min(limit, wholeBlocks(expectedEnd))
    }
    const isDue =
      this.#isFlushing || unsaved >= this.#window || wholeBlocks(expectedEnd) === this.#end
    return unsaved > 0 && isDue ? Math.min(limit, this.#end) : undefined
  }

  async #send(until: number): Promise<SessionState> {
    const { api, url } = this.#options
    const offset = this.#persisted
    this.#sent = offset
    const signal = this.#signal
    try {
      const bytes = this.#pieces(offset, until)
      return await api.sendChunk(url, {
        offset,
        bytes,
        length: until - offset,
        total: undefined,
        signal,
      })
    } catch (error) {
      if (!(error instanceof EndedEarly)) throw error
      return await api.querySession(url, { signal })
    }
  }

  async *#pieces(start: number, end: number): AsyncGenerator<Uint8Array, void, undefined> {
    for (let at = start; at < end; ) {
      while (at >= this.#end) {
        if (this.#isFlushing || this.#signal.aborted) throw new EndedEarly()
        await this.#change()
      }
      await this.#announceBefore(at)
      const block = this.#blocks[(at - this.#first) / blockBytes]
      if (block === undefined) throw new Error('a block was released before it was sent')
      at += blockBytes
      this.#sent = at
      this.#taken = Math.max(start, at - takenBehind)
      this.#letGo(this.#first + this.#excess())
      this.#wake()
      yield block.bytes
    }
  }

  /**
   * Resolves when the block that begins here is announced. Each announcement writes to the
   * database. Sending must not wait for that, so later blocks are announced early, and many at
   * once.
   */
  async #announceBefore(position: number): Promise<void> {
    if (this.#options.announce === undefined) return
    for (;;) {
      // Announce nothing once another process may continue the session.
      this.#signal.throwIfAborted()
      if (position < this.#announced) break
      await this.#announcement()
    }
    const isSoon = this.#announced - position <= this.#window / 2
    // The next block that waits for it gets the failure.
    if (isSoon && this.#announced < this.#end) this.#announcement().catch(() => undefined)
  }

  /** Announces all new blocks, unless an announcement is in progress or has failed. */
  #announcement(): Promise<void> {
    // After an abort, another process may already have read the announced blocks.
    this.#signal.throwIfAborted()
    this.#announcing ??= this.#announce().then(() => {
      this.#announcing = undefined
    })
    return this.#announcing
  }

  async #announce(): Promise<void> {
    const from = this.#announced
    const end = this.#end
    const blocks = this.#blocks.slice((from - this.#first) / blockBytes)
    const marks = blocks.map(({ mark }) => mark)
    await this.#options.announce?.(from, marks)
    this.#announced = end
  }

  #apply(state: SessionState): void {
    if (state.kind === 'gone') throw sessionGone()
    if (state.kind === 'done') throw new Error('a session ended unexpectedly')
    const { persisted } = state
    // Other bytes come from an earlier request that was believed dead.
    if (persisted < this.#first || persisted > this.#end) throw lostTrack()
    this.#persisted = persisted
    this.#sent = persisted
    this.#taken = persisted
    this.#letGo(persisted)
    this.#wake()
  }

  /** Bytes kept in memory beyond the limit. */
  #excess(): number {
    return Math.max(0, this.#end - this.#first - this.#options.memory.share)
  }

  /** Releases sent blocks that end here or before. */
  #letGo(position: number): void {
    const limit = Math.min(position, this.#sent)
    while (this.#first + blockBytes <= limit) {
      const block = this.#blocks.shift()
      this.#first += blockBytes
      if (block !== undefined && this.#first <= this.#taken) {
        this.#options.memory.blocks.give(block.bytes)
      }
    }
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#wakers.push(resolve))
  }

  #wake(): void {
    const wakers = this.#wakers
    this.#wakers = []
    for (const wake of wakers) wake()
  }
}

/**
 * Sends all whole blocks of these bytes.
 *
 * @returns the bytes after the last whole block
 * @throws DriveError
 */
export async function sendBlocks(
  bytes: AsyncIterable<Uint8Array>,
  options: SessionStreamOptions,
): Promise<Uint8Array> {
  const stream = new SessionStream(options)
  const blocks = new Blocks(options.memory.blocks)
  try {
    for await (const chunk of bytes) {
      for (const block of blocks.add(chunk)) await stream.push(block)
    }
    await stream.flush()
  } finally {
    await stream.stop()
  }
  return blocks.rest
}

function keepsNothing(): DriveError {
  return new DriveError('unavailable', 'Google Drive stores none of the bytes sent. Try again.')
}

function lostTrack(): DriveError {
  const message = 'The connection to Google Drive broke and bytes were lost. Send them again.'
  return new DriveError('unavailable', message, { retryAfterSeconds: 1 })
}
