import type { ChecksumAlgorithm } from '../../drives/attributes.ts'
import { BufferPool } from '../../drives/buffer-pool.ts'
import type { PartMemory } from '../../drives/drive.ts'
import { payloadBlockBytes } from '../body/payload-writer.ts'
import { EarlyPart, type PartSource } from './early-part.ts'
import type { PartRoom } from './part-buffer.ts'

/** Chunks that are kept for reuse while parts arrive. */
const mostFreeChunks = 32

/** For a drive that takes parts one by one: none is read in advance. */
const noMemory: PartMemory = { take: () => false, give: () => undefined }

/**
 * The parts that wait in this process. They are read in advance if there is memory, so that
 * several can go to the drive together when the first one's turn comes.
 */
export class EarlyParts {
  readonly #room: PartRoom
  readonly #uploads = new Map<string, Map<number, EarlyPart>>()
  /** Parts for which there was no memory, the longest waiting first. */
  readonly #unread = new Map<EarlyPart, ChecksumAlgorithm | undefined>()

  constructor(memory: PartMemory = noMemory) {
    const give = (bytes: number) => {
      memory.give(bytes)
      this.#readMore()
    }
    this.#room = {
      memory: { take: (bytes) => memory.take(bytes), give },
      pool: new BufferPool(payloadBlockBytes, mostFreeChunks),
    }
  }

  /** Of several requests for the same part the last one counts; the others wait for their turn. */
  enter(uploadId: string, number: number, source: PartSource): EarlyPart {
    const part = new EarlyPart(number, source, this.#room)
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
    if (this.#uploads.size === 0) this.#room.pool.clear()
  }

  /** The part must wait: it is read now, or as soon as there is memory. */
  read(part: EarlyPart, algorithm: ChecksumAlgorithm | undefined): void {
    part.read(algorithm)
    if (part.isUnread) this.#unread.set(part, algorithm)
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

  #readMore(): void {
    for (const [part, algorithm] of this.#unread) {
      part.read(algorithm)
      if (!part.isUnread) this.#unread.delete(part)
    }
  }
}
