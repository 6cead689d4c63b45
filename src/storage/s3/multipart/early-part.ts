import type { ChecksumAlgorithm } from '../../../platform/checksums/checksum.ts'
import { BufferPool } from '../../../platform/process/buffers.ts'
import type { PartMemory } from '../../drives/upload-abilities.ts'
import { type PayloadDigest, type PayloadSink, payloadBlockBytes } from '../body/payload-writer.ts'
import type { UploadedPart } from './upload-records.ts'

/** The source of a part's bytes: a request's body, or an object that is copied. */
export interface PartSource {
  /** Number of bytes, if known. */
  readonly size?: number | undefined
  /** Aborts when the part is no longer needed. */
  readonly signal: AbortSignal
  /**
   * Writes all bytes into the sink and returns their size and digests, with a checksum of this
   * algorithm if one is given. Called once, when it is the part's turn or there is memory to hold
   * it until then.
   */
  pour(sink: PayloadSink, algorithm: ChecksumAlgorithm | undefined): Promise<PayloadDigest>
}

/**
 * The states of a part that arrived before its turn. Top row: its request waits. Middle row: the
 * part's turn has come, and its own request writes it. Bottom row: its outcome is known without it.
 *
 *                 memory                    last byte
 *      unread ───────────────▶ buffering ───────────────▶ buffered
 *        │                      │     │                    │    │
 *        │ turn                 │     │ turn               │    │ turn
 *        ▼                      │     ▼     last byte      │    ▼
 *   fromSocket                  │  catchingUp ─────────────│─▶ fromMemory
 *                               │ error                    │ join
 *                               ▼                          ▼
 *                             failed                     joined
 *
 * `unread`, `fromSocket`: no byte has been read from the socket in advance.
 * `catchingUp`: the buffered bytes go to the drive first, then the rest from the socket.
 * `joined`: an earlier part's request writes it, together with its own part.
 * Every state leads to `left` when the part's request ends. Other events change nothing.
 */
type EarlyState =
  | 'unread'
  | 'buffering'
  | 'buffered'
  | 'fromSocket'
  | 'catchingUp'
  | 'fromMemory'
  | 'failed'
  | 'joined'
  | 'left'

export type EarlyEvent = 'memory' | 'last byte' | 'turn' | 'error' | 'join' | 'leave'

const transitions: Record<EarlyState, Partial<Record<EarlyEvent, EarlyState>>> = {
  unread: { memory: 'buffering', turn: 'fromSocket', leave: 'left' },
  buffering: { 'last byte': 'buffered', turn: 'catchingUp', error: 'failed', leave: 'left' },
  buffered: { turn: 'fromMemory', join: 'joined', leave: 'left' },
  fromSocket: { leave: 'left' },
  catchingUp: { 'last byte': 'fromMemory', leave: 'left' },
  fromMemory: { leave: 'left' },
  failed: { leave: 'left' },
  joined: { leave: 'left' },
  left: {},
}

export function nextState(state: EarlyState, event: EarlyEvent): EarlyState {
  return transitions[state][event] ?? state
}

/** A part from its arrival until its request ends; see EarlyState. */
export class EarlyPart implements PartSource {
  readonly number: number
  /** Aborts when the wait is over: the client is gone, or the outcome is known. */
  readonly signal: AbortSignal
  readonly #source: PartSource
  readonly #decided = new AbortController()
  readonly #outcome = Promise.withResolvers<UploadedPart>()
  #state: EarlyState = 'unread'
  #buffered: { readonly buffer: PartBuffer; readonly digest: Promise<PayloadDigest> } | undefined

  constructor(number: number, source: PartSource) {
    this.number = number
    this.#source = source
    this.signal = AbortSignal.any([source.signal, this.#decided.signal])
    // Not every caller waits for the outcome.
    this.#outcome.promise.catch(() => undefined)
  }

  get size(): number | undefined {
    return this.#source.size
  }

  get state(): EarlyState {
    return this.#state
  }

  /** Whether an earlier part's request may write this part as well. */
  get mayJoin(): boolean {
    return this.#state === 'buffered' && !this.signal.aborted
  }

  /** Whether the part waits and has not been read. */
  get isUnread(): boolean {
    return this.#state === 'unread' && !this.signal.aborted
  }

  /** Whether `outcome` is decided, so the request need not wait for the part's turn. */
  get isDecided(): boolean {
    return this.#decided.signal.aborted
  }

  get outcome(): Promise<UploadedPart> {
    return this.#outcome.promise
  }

  /** Reads the part if there is memory for it. Has no effect once it is being read. */
  read(room: PartRoom, algorithm: ChecksumAlgorithm | undefined): void {
    const { size } = this.#source
    if (!this.isUnread || size === undefined || !room.memory.take(size)) return
    this.#apply('memory')
    const buffer = new PartBuffer(room, size)
    const digest = this.#source.pour(buffer, algorithm)
    this.#buffered = { buffer, digest }
    digest.then(
      () => this.#apply('last byte'),
      (error: unknown) => {
        if (this.#apply('error') === 'failed') this.#decide(Promise.reject(error))
      },
    )
  }

  /** It is the part's turn: from now on, the caller writes it and answers the request. */
  begin(): void {
    this.#apply('turn')
  }

  /** An earlier part's request writes this part as well. */
  join(outcome: Promise<UploadedPart>): void {
    if (this.#apply('join') === 'joined') this.#decide(outcome)
  }

  async pour(sink: PayloadSink, algorithm: ChecksumAlgorithm | undefined): Promise<PayloadDigest> {
    if (this.#buffered === undefined) return await this.#source.pour(sink, algorithm)
    const { buffer, digest } = this.#buffered
    await buffer.drain(sink)
    return await digest
  }

  /** The request has ended: releases the memory. */
  leave(): void {
    this.#apply('leave')
    this.#buffered?.buffer.discard()
  }

  #apply(event: EarlyEvent): EarlyState {
    this.#state = nextState(this.#state, event)
    return this.#state
  }

  #decide(outcome: Promise<UploadedPart>): void {
    this.#outcome.resolve(outcome)
    this.#decided.abort()
  }
}

/** Maximum number of free chunks to keep while parts arrive. */
const maxFreeChunks = 32

/** How a part is read in advance. */
interface EarlyReading {
  /** The memory of the drive that the part's upload is on. */
  readonly memory: PartMemory
  readonly algorithm: ChecksumAlgorithm | undefined
}

/**
 * The parts that wait in this process. They are read in advance if there is memory, so that several can go to the drive
 * together when it is the turn of the first.
 */
export class EarlyParts {
  readonly #pool = new BufferPool(payloadBlockBytes, maxFreeChunks)
  readonly #uploads = new Map<string, Map<number, EarlyPart>>()
  /** Parts for which there was no memory, longest-waiting first. */
  readonly #unread = new Map<EarlyPart, EarlyReading>()

  /** Of several requests for the same part, the last one counts. The others wait for their turn. */
  enter(uploadId: string, number: number, source: PartSource): EarlyPart {
    const part = new EarlyPart(number, source)
    const parts = this.#uploads.get(uploadId) ?? new Map<number, EarlyPart>()
    this.#uploads.set(uploadId, parts.set(number, part))
    return part
  }

  leave(uploadId: string, part: EarlyPart): void {
    this.#unread.delete(part)
    part.leave()
    // Memory may have been released elsewhere in the meantime.
    this.#readMore()
    const parts = this.#uploads.get(uploadId)
    if (parts?.get(part.number) !== part) return
    parts.delete(part.number)
    if (parts.size === 0) this.#uploads.delete(uploadId)
    if (this.#uploads.size === 0) this.#pool.clear()
  }

  /** Reads a part that must wait, now or as soon as there is memory. */
  read(part: EarlyPart, reading: EarlyReading): void {
    this.#read(part, reading)
    if (part.isUnread) this.#unread.set(part, reading)
  }

  /** Returns the complete parts in memory from this number on, up to the first gap. */
  joinable(uploadId: string, from: number): EarlyPart[] {
    const parts = this.#uploads.get(uploadId)
    const joinable: EarlyPart[] = []
    for (let part = parts?.get(from); part?.mayJoin; part = parts?.get(part.number + 1)) {
      joinable.push(part)
    }
    return joinable
  }

  #read(part: EarlyPart, { memory, algorithm }: EarlyReading): void {
    const give = (bytes: number) => {
      memory.give(bytes)
      this.#readMore()
    }
    const room = { memory: { take: (bytes: number) => memory.take(bytes), give }, pool: this.#pool }
    part.read(room, algorithm)
  }

  #readMore(): void {
    for (const [part, reading] of this.#unread) {
      this.#read(part, reading)
      if (!part.isUnread) this.#unread.delete(part)
    }
  }
}

/** The request of a part has ended, so the rest of its bytes is discarded. */
class PartLeft extends Error {}

/** Where early parts are buffered. */
export interface PartRoom {
  readonly memory: PartMemory
  readonly pool: BufferPool
}

/** Buffers bytes in reserved memory until `drain` moves them to a sink; later bytes pass through. */
export class PartBuffer implements PayloadSink {
  readonly #room: PartRoom
  #reserved: number
  #chunks: Buffer<ArrayBuffer>[] = []
  #sink: PayloadSink | undefined
  #draining: Promise<void> | undefined

  /** @param reserved bytes that were taken from the memory. The buffer returns them. */
  constructor(room: PartRoom, reserved: number) {
    this.#room = room
    this.#reserved = reserved
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#sink === undefined) {
      this.#copy(chunk)
      return
    }
    await this.#draining
    await this.#sink.write(chunk)
  }

  /** Resolves when the sink has all buffered bytes. */
  async drain(sink: PayloadSink): Promise<void> {
    this.#sink = sink
    this.#draining = this.#moveTo(sink)
    await this.#draining
  }

  /** Releases the memory; unless it was drained, later writes fail. Idempotent. */
  discard(): void {
    this.#chunks = []
    this.#release(this.#reserved)
    this.#sink ??= { write: () => Promise.reject(new PartLeft()) }
  }

  async #moveTo(sink: PayloadSink): Promise<void> {
    for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) {
      await sink.write(chunk)
      this.#room.pool.give(chunk)
      this.#release(chunk.length)
    }
    // No more bytes are buffered.
    this.#release(this.#reserved)
  }

  #release(bytes: number): void {
    // A write that was in progress at `discard` returns after all memory was released.
    const released = Math.min(bytes, this.#reserved)
    this.#reserved -= released
    this.#room.memory.give(released)
  }

  /** Copies in pieces of the pool's size. */
  #copy(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += payloadBlockBytes) {
      this.#chunks.push(this.#copyOf(bytes.subarray(at, at + payloadBlockBytes)))
    }
  }

  #copyOf(bytes: Uint8Array): Buffer<ArrayBuffer> {
    if (bytes.length !== payloadBlockBytes) return Buffer.from(bytes)
    const copy = this.#room.pool.take()
    copy.set(bytes)
    return copy
  }
}
