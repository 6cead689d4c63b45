import { randomBytes } from 'node:crypto'
import { type CallBody, DroppedConnection } from './call-body.ts'
import type { Content, ContentStore, ContentWriter } from './content-store.ts'
import type { EmulatorClock } from './emulator-clock.ts'
import type { FileMetadata } from './file-metadata.ts'
import type { FileRecord, Owner } from './file-record.ts'

/** Drive keeps whole blocks of this size of what it has not got all of. */
export const blockBytes = 256 * 1024
const lifeMs = 7 * 24 * 3600 * 1000

/** What a session is to make of its bytes. */
export interface SessionTarget {
  /** The file whose bytes are replaced. Absent: a new file. */
  readonly fileId?: string
  readonly metadata: FileMetadata
  readonly mimeType?: string
  /** Bytes announced when it began. */
  readonly size?: number
  /** Of the request that began it: it shapes the last reply, too. */
  readonly query: URLSearchParams
  readonly caller: Owner
}

export class UploadSession {
  readonly id = `AHmUCY${randomBytes(48).toString('base64url')}`
  readonly target: SessionTarget
  readonly createdAtMs: number
  /** The file it becomes, once all bytes are in. */
  outcome: Promise<FileRecord> | undefined
  readonly #writer: ContentWriter
  #block: Buffer[] = []
  #blockSize = 0
  /** Of several requests at once the youngest counts. */
  #turn = 0
  #busy: Promise<unknown> = Promise.resolve()

  constructor(target: SessionTarget, facts: { writer: ContentWriter; nowMs: number }) {
    this.target = target
    this.#writer = facts.writer
    this.createdAtMs = facts.nowMs
  }

  /** The persisted bytes: a prefix of those sent, in whole blocks before the end. */
  get persisted(): number {
    return this.#writer.size
  }

  /**
   * Takes bytes that begin at `start`; those that it has are passed over. What came before an
   * interruption is kept as far as it fills blocks.
   */
  async receive(body: CallBody, start: number): Promise<void> {
    const turn = ++this.#turn
    await this.#alone(async () => this.#dropBlock())
    let position = start
    const keptEnd = start + body.keptBytes
    try {
      for await (const piece of body.pieces()) {
        const from = Math.max(0, this.received - position)
        const to = Math.min(piece.length, keptEnd - position)
        position += piece.length
        await this.#alone(async () => {
          if (turn !== this.#turn) throw new DroppedConnection()
          if (from < to) await this.#take(piece.subarray(from, to))
        })
      }
    } catch (error) {
      await this.#alone(() => turn === this.#turn && this.#dropBlock())
      throw error
    }
  }

  /** Ends it: what does not fill a block is part of it now, what arrives later is not. */
  async finish(): Promise<Content> {
    this.#turn++
    return await this.#alone(async () => {
      await this.#writer.append(this.#block)
      this.#dropBlock()
      return await this.#writer.finish()
    })
  }

  async discard(): Promise<void> {
    this.#turn++
    await this.#alone(() => this.#writer.discard())
  }

  /** Everything that came, safe or not. */
  get received(): number {
    return this.#writer.size + this.#blockSize
  }

  #dropBlock(): void {
    this.#block = []
    this.#blockSize = 0
  }

  async #take(piece: Buffer): Promise<void> {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + blockBytes - this.#blockSize)
      at += part.length
      this.#block.push(part)
      this.#blockSize += part.length
      if (this.#blockSize < blockBytes) continue
      const block = this.#block
      this.#dropBlock()
      await this.#writer.append(block)
    }
  }

  #alone<R>(work: () => R | Promise<R>): Promise<R> {
    const result = this.#busy.then(work)
    this.#busy = result.catch(() => undefined)
    return result
  }
}

/** The resumable sessions that are known, finished ones among them. */
export class UploadSessions {
  readonly #clock: EmulatorClock
  readonly #store: ContentStore
  readonly #sessions = new Map<string, UploadSession>()

  constructor(clock: EmulatorClock, store: ContentStore) {
    this.#clock = clock
    this.#store = store
  }

  begin(target: SessionTarget): UploadSession {
    const facts = { writer: this.#store.writer(), nowMs: this.#clock.nowMs() }
    const session = new UploadSession(target, facts)
    this.#sessions.set(session.id, session)
    return session
  }

  /** Undefined for one that is not known, or not any more. */
  get(id: string): UploadSession | undefined {
    const session = this.#sessions.get(id)
    if (session === undefined) return undefined
    return session.createdAtMs + lifeMs > this.#clock.nowMs() ? session : undefined
  }

  /** Those that wait for bytes. */
  open(): UploadSession[] {
    return [...this.#sessions.values()].filter(({ outcome }) => outcome === undefined)
  }

  async forget(id: string): Promise<void> {
    const session = this.#sessions.get(id)
    this.#sessions.delete(id)
    if (session?.outcome === undefined) await session?.discard()
  }
}
