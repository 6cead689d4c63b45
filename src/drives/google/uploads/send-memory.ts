import { BufferPool } from '../../buffer-pool.ts'
import type { PartMemory } from '../../drive.ts'
import { blockBytes } from './blocks.ts'

const mebibyte = 1024 * 1024

/** Per stream, independent of the others. */
const leastPerStream = mebibyte / 2
const mostPerStream = 16 * mebibyte
/** Of parts that wait for their turn; less by this for each stream: many keep the line busy anyway. */
const mostOfParts = 48 * mebibyte
const lessPerStream = mebibyte
/** Free blocks kept for reuse. */
const mostFreeBlocks = 32

/** Memory of one process for the bytes that it sends to Google. */
export class SendMemory {
  readonly #totalBytes: number
  #streams = 0
  #buffered = 0
  #parts = 0

  /** The pool of the streams' blocks. */
  readonly blocks: BufferPool

  /** For parts of uploads that arrive before their turn. */
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

  /** How much a stream may keep, to send it again when the connection breaks. */
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

  /** Whether this many bytes of small objects may be buffered until they have all arrived. */
  take(bytes: number): boolean {
    if (this.#buffered + bytes > this.#totalBytes) return false
    this.#buffered += bytes
    return true
  }

  give(bytes: number): void {
    this.#buffered -= bytes
  }
}
