import type { ChecksumAlgorithm } from '../../drives/attributes.ts'
import { BufferPool } from '../../drives/buffer-pool.ts'
import type { PartMemory } from '../../drives/drive.ts'
import { payloadBlockBytes } from '../body/payload-writer.ts'
import { EarlyPart, type PartSource } from './early-part.ts'

/** Chunks that are kept for reuse while parts arrive. */
const mostFreeChunks = 32

/** How to read a part in advance. */
export interface EarlyReading {
  /** Of the drive that the part's upload is on. */
  readonly memory: PartMemory
  readonly algorithm: ChecksumAlgorithm | undefined
}

/**
 * The parts that wait in this process. They are read in advance if there is memory, so that
 * several can go to the drive together when the first one's turn comes.
 */
export class EarlyParts {
  readonly #pool = new BufferPool(payloadBlockBytes, mostFreeChunks)
  readonly #uploads = new Map<string, Map<number, EarlyPart>>()
  /** Parts for which there was no memory, the longest waiting first. */
  readonly #unread = new Map<EarlyPart, EarlyReading>()

  /** Of several requests for the same part the last one counts; the others wait for their turn. */
  enter(uploadId: string, number: number, source: PartSource): EarlyPart {
    const part = new EarlyPart(number, source)
    const parts = this.#uploads.get(uploadId) ?? new Map<number, EarlyPart>()
    this.#uploads.set(uploadId, parts.set(number, part))
    return part
  }

  leave(uploadId: string, part: EarlyPart): void {
    this.#unread.delete(part)
    part.leave()
    // Something else may have released memory meanwhile.
    this.#readMore()
    const parts = this.#uploads.get(uploadId)
    if (parts?.get(part.number) !== part) return
    parts.delete(part.number)
    if (parts.size === 0) this.#uploads.delete(uploadId)
    if (this.#uploads.size === 0) this.#pool.clear()
  }

  /** The part must wait: it is read now, or as soon as there is memory. */
  read(part: EarlyPart, reading: EarlyReading): void {
    this.#read(part, reading)
    if (part.isUnread) this.#unread.set(part, reading)
  }

  /** The complete parts in memory from this number on, without a gap. */
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
