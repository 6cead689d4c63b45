import { BufferPool } from '../buffer-pool.ts'
import type { PartMemory } from '../drive.ts'
import { blockBytes } from './blocks.ts'

const mebibyte = 1024 * 1024

/** Of one stream, whatever the others do. */
const leastPerStream = mebibyte
const mostPerStream = 16 * mebibyte
/** Of parts that wait for their turn. */
const mostOfParts = 48 * mebibyte
/** Blocks that are kept to be filled again: what one stream holds, and some. */
const mostFreeBlocks = 96

/** Bytes that one process holds of what it sends to Google. */
export class SendMemory {
  readonly #totalBytes: number
  #streams = 0
  #buffered = 0
  #parts = 0

  /** What streams are given blocks from. */
  readonly blocks = new BufferPool(blockBytes, mostFreeBlocks)

  /** For parts of uploads that come before their turn. */
  readonly parts: PartMemory = {
    take: (bytes) => {
      if (this.#parts + bytes > mostOfParts) return false
      this.#parts += bytes
      return true
    },
    give: (bytes) => {
      this.#parts -= bytes
    },
  }

  constructor(totalBytes = 64 * mebibyte) {
    this.#totalBytes = totalBytes
  }

  /** How much a stream may hold, to send it again when the connection breaks. */
  get share(): number {
    const share = this.#totalBytes / Math.max(1, this.#streams)
    return Math.min(mostPerStream, Math.max(leastPerStream, share))
  }

  enter(): void {
    this.#streams += 1
  }

  leave(): void {
    this.#streams -= 1
    if (this.#streams === 0) this.blocks.clear()
  }

  /** Whether so many bytes of small objects may be held until all of them are there. */
  take(bytes: number): boolean {
    if (this.#buffered + bytes > this.#totalBytes) return false
    this.#buffered += bytes
    return true
  }

  give(bytes: number): void {
    this.#buffered -= bytes
  }
}
