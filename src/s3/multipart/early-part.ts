import type { ChecksumAlgorithm } from '../../drives/attributes.ts'
import type { BufferPool } from '../../drives/buffer-pool.ts'
import type { PartMemory } from '../../drives/drive.ts'
import type { PayloadDigest, PayloadSink } from '../body/payload.ts'
import type { PartSource } from './part-source.ts'
import type { UploadedPart } from './upload-records.ts'

/** The block size in which a payload is written (payload-writer.ts), except for its last block. */
export const earlyChunkBytes = 256 * 1024

/** The part is no longer needed: the rest of its bytes is discarded. */
class PartLeft extends Error {}

/** Where early parts are held. */
export interface EarlyRoom {
  readonly memory: PartMemory
  readonly pool: BufferPool
}

/**
 * A part that waits for its turn, or whose turn has just come. If there is memory for all of it,
 * it is read in advance; otherwise it stays in its socket. From its turn on it is a normal source.
 */
export class EarlyPart implements PartSource {
  readonly number: number
  /** Aborts when the wait is over: the client is gone, or there is nothing left to wait for. */
  readonly signal: AbortSignal
  readonly #source: PartSource
  readonly #memory: PartMemory
  readonly #pool: BufferPool
  readonly #over = new AbortController()
  readonly #outcome = Promise.withResolvers<UploadedPart>()
  #reading: Promise<PayloadDigest> | undefined
  #isRead = false
  #isTurn = false
  #reserved = 0
  #chunks: Buffer<ArrayBuffer>[] = []
  #sink: PayloadSink | undefined
  #emptying: Promise<void> | undefined

  constructor(number: number, source: PartSource, { memory, pool }: EarlyRoom) {
    this.number = number
    this.#source = source
    this.#memory = memory
    this.#pool = pool
    this.signal = AbortSignal.any([source.signal, this.#over.signal])
    // Not every caller waits for the outcome.
    this.#outcome.promise.catch(() => undefined)
  }

  get size(): number | undefined {
    return this.#source.size
  }

  /** Whether all of it is in memory. */
  get isRead(): boolean {
    return this.#isRead
  }

  /** Whether all of it is in memory and its request still waits for its turn. */
  get mayJoin(): boolean {
    return this.#isRead && !this.#isTurn && !this.signal.aborted
  }

  /** Whether it waits in its socket. */
  get isUnread(): boolean {
    return this.#reading === undefined && !this.#isTurn && !this.signal.aborted
  }

  /** Whether `outcome` is already known, so that there is no need to wait for the part's turn. */
  get isOver(): boolean {
    return this.#over.signal.aborted
  }

  get outcome(): Promise<UploadedPart> {
    return this.#outcome.promise
  }

  /** Reads the part if there is memory for it. Without effect once it is being read. */
  read(algorithm: ChecksumAlgorithm | undefined): void {
    const { size } = this.#source
    if (!this.isUnread || size === undefined || !this.#memory.take(size)) return
    this.#reserved = size
    this.#reading = this.#source.pour({ write: (chunk) => this.#write(chunk) }, algorithm)
    this.#reading.then(
      () => {
        this.#isRead = true
      },
      (error: unknown) => {
        if (!this.#isTurn) this.settle(Promise.reject(error))
      },
    )
  }

  /** It is the part's turn: from now on its caller writes it and answers the request. */
  begin(): void {
    this.#isTurn = true
  }

  /** Ends the wait with the outcome of the part. */
  settle(outcome: Promise<UploadedPart>): void {
    this.#outcome.resolve(outcome)
    this.#over.abort()
  }

  async pour(sink: PayloadSink, algorithm: ChecksumAlgorithm | undefined): Promise<PayloadDigest> {
    const reading = this.#reading
    if (reading === undefined) return await this.#source.pour(sink, algorithm)
    this.#sink = sink
    this.#emptying = this.#empty(sink)
    await this.#emptying
    return await reading
  }

  /** Releases the memory. Idempotent. */
  close(): void {
    this.begin()
    this.#chunks = []
    this.#memory.give(this.#reserved)
    this.#reserved = 0
    this.#sink ??= { write: () => Promise.reject(new PartLeft()) }
  }

  async #write(chunk: Uint8Array): Promise<void> {
    if (this.#sink === undefined) {
      this.#chunks.push(this.#copyOf(chunk))
      return
    }
    await this.#emptying
    await this.#sink.write(chunk)
  }

  #copyOf(bytes: Uint8Array): Buffer<ArrayBuffer> {
    if (bytes.length !== earlyChunkBytes) return Buffer.from(bytes)
    const copy = this.#pool.take()
    copy.set(bytes)
    return copy
  }

  async #empty(sink: PayloadSink): Promise<void> {
    for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) {
      await sink.write(chunk)
      this.#pool.give(chunk)
      this.#memory.give(chunk.length)
      this.#reserved -= chunk.length
    }
    // The rest passes through.
    this.#memory.give(this.#reserved)
    this.#reserved = 0
  }
}
