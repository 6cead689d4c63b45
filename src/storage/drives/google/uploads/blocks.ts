import type { BufferPool } from '../../../../platform/process/buffer-pool.ts'

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
