import { BufferPool } from '../../../../platform/process/buffers.ts'
import type { PartMemory } from '../../upload-abilities.ts'

/** The unit of resumable sessions (API guide, "Perform a resumable upload"). */
export const blockBytes = 256 * 1024

/** Cuts bytes into blocks of 256 KiB. */
export class Blocks {
  readonly #pool: BufferPool
  #block: Buffer<ArrayBuffer> | undefined
  #filled = 0

  /** @param carry bytes before the first chunk, less than a block. */
  constructor(pool: BufferPool, carry: Uint8Array = new Uint8Array()) {
    this.#pool = pool
    this.#fill(carry)
  }

  /** Copies the chunk and yields the blocks that it fills, one at a time. */
  *add(chunk: Uint8Array): Generator<Buffer<ArrayBuffer>, void, undefined> {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + blockBytes - this.#filled)
      at += part.length
      this.#fill(part)
      if (this.#filled < blockBytes || this.#block === undefined) continue
      const full = this.#block
      this.#block = undefined
      this.#filled = 0
      yield full
    }
  }

  /** The bytes that do not fill a block yet. */
  get rest(): Uint8Array {
    return this.#block?.subarray(0, this.#filled) ?? new Uint8Array()
  }

  #fill(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#block ??= this.#pool.take()
    this.#block.set(bytes, this.#filled)
    this.#filled += bytes.length
  }
}

/** The last multiple of 256 KiB up to here. */
export function wholeBlocks(size: number): number {
  return size - (size % blockBytes)
}

const mebibyte = 1024 * 1024

/** Limits for each stream. */
const minPerStream = mebibyte / 2
const maxPerStream = 16 * mebibyte
/** For early parts. Reduced for each further stream, because several streams use the connection anyway. */
const maxOfParts = 48 * mebibyte
const lessPerStream = mebibyte
/** Free blocks kept for reuse. */
const maxFreeBlocks = 32

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
      const limit = maxOfParts - Math.max(0, this.#streams - 1) * lessPerStream
      if (this.#parts + bytes > limit) return false
      this.#parts += bytes
      return true
    },
    give: (bytes) => {
      this.#parts -= bytes
    },
  }

  constructor(
    totalBytes = 64 * mebibyte,
    blocks: BufferPool = new BufferPool(blockBytes, maxFreeBlocks),
  ) {
    this.#totalBytes = totalBytes
    this.blocks = blocks
  }

  /** How much a stream may keep, to send it again if the connection breaks. */
  get share(): number {
    const share = (this.#totalBytes - this.#parts) / Math.max(1, this.#streams)
    return Math.min(maxPerStream, Math.max(minPerStream, share))
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
