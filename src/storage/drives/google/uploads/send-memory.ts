import { BufferPool } from '../../../../platform/process/buffer-pool.ts'
import type { PartMemory } from '../../upload-abilities.ts'
import { blockBytes } from './blocks.ts'

const mebibyte = 1024 * 1024

/** For each stream, regardless of the others. */
const leastPerStream = mebibyte / 2
const mostPerStream = 16 * mebibyte
/** For early parts. Less for each further stream, because several streams use the connection anyway. */
const mostOfParts = 48 * mebibyte
const lessPerStream = mebibyte
/** Free blocks kept for reuse. */
const mostFreeBlocks = 32

/** Limits the memory of one process for bytes that it sends to Google. */
export class SendMemory {
  readonly #totalBytes: number
  #streams = 0
  #buffered = 0
  #parts = 0

  /** The pool of the streams' blocks. */
  readonly blocks: BufferPool

  /** For early parts. */
  readonly parts: PartMemory = {
    take: (bytes) => {
      const most = mostOfParts - Math.max(0, this.#streams - 1) * lessPerStream
      if (this.#parts + bytes > most) return false
      this.#parts += bytes
      return true
    },
    give: (bytes) => {
      this.#parts -= bytes
    },
  }

  constructor(
    totalBytes = 64 * mebibyte,
    blocks: BufferPool = new BufferPool(blockBytes, mostFreeBlocks),
  ) {
    this.#totalBytes = totalBytes
    this.blocks = blocks
  }

  /** How much a stream may keep, to send it again if the connection breaks. */
  get share(): number {
    const share = (this.#totalBytes - this.#parts) / Math.max(1, this.#streams)
    return Math.min(mostPerStream, Math.max(leastPerStream, share))
  }

  enter(): void {
    this.#streams += 1
  }

  leave(): void {
    this.#streams -= 1
    if (this.#streams === 0) this.blocks.clear()
  }

  /** Reserves memory to buffer a small object until it is complete; false if there is not enough. */
  take(bytes: number): boolean {
    if (this.#buffered + bytes > this.#totalBytes) return false
    this.#buffered += bytes
    return true
  }

  give(bytes: number): void {
    this.#buffered -= bytes
  }
}
