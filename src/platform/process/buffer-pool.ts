/**
 * Reusable buffers of one size. Without reuse, their allocation and collection takes a third of the
 * time of an upload (bench/README.md).
 */
export class BufferPool {
  readonly #bytes: number
  readonly #most: number
  #free: Buffer<ArrayBuffer>[] = []

  /** @param most idle buffers to keep. */
  constructor(bytes: number, most: number) {
    this.#bytes = bytes
    this.#most = most
  }

  /** A buffer with arbitrary content. */
  take(): Buffer<ArrayBuffer> {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#bytes)
  }

  /** Takes back a buffer that is no longer used. Buffers of another size are not kept. */
  give(buffer: Buffer<ArrayBuffer>): void {
    if (buffer.length === this.#bytes && this.#free.length < this.#most) this.#free.push(buffer)
  }

  /** Drops all idle buffers. */
  clear(): void {
    this.#free = []
  }
}
