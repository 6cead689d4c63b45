/**
 * Buffers of one size that are used again and again: to have so many new ones made and collected
 * costs a third of the time of an upload (bench/README.md).
 */
export class BufferPool {
  readonly #bytes: number
  readonly #most: number
  #free: Buffer<ArrayBuffer>[] = []

  /** @param most buffers that are kept while nobody has use for them. */
  constructor(bytes: number, most: number) {
    this.#bytes = bytes
    this.#most = most
  }

  /** A buffer, with whatever in it. */
  take(): Buffer<ArrayBuffer> {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#bytes)
  }

  /** Takes back a buffer that nobody reads any more. One of another size is left to the collector. */
  give(buffer: Buffer<ArrayBuffer>): void {
    if (buffer.length === this.#bytes && this.#free.length < this.#most) this.#free.push(buffer)
  }

  /** Keeps none. */
  clear(): void {
    this.#free = []
  }
}
