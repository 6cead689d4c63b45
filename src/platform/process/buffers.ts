/**
 * Reusable buffers of one size. Without reuse, their allocation and collection takes a third of the
 * time of an upload (bench/README.md).
 */
export class BufferPool {
  readonly #bytes: number
  readonly #maxIdle: number
  #free: Buffer<ArrayBuffer>[] = []

  /** @param maxIdle maximum number of idle buffers to keep */
  constructor(bytes: number, maxIdle: number) {
    this.#bytes = bytes
    this.#maxIdle = maxIdle
  }

  /** A buffer with arbitrary content. */
  take(): Buffer<ArrayBuffer> {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#bytes)
  }

  /** Takes back a buffer that is no longer used. Buffers of another size are not kept. */
  give(buffer: Buffer<ArrayBuffer>): void {
    if (buffer.length === this.#bytes && this.#free.length < this.#maxIdle) this.#free.push(buffer)
  }

  /** Drops all idle buffers. */
  clear(): void {
    this.#free = []
  }
}

/**
 * Frees the memory of bytes that are no longer needed; they are empty afterwards. node:http allocates up
 * to 64 KiB for each chunk of a body, outside V8's heap. V8 accounts for little of that, so it would collect
 * hundreds of MiB of dead chunks too late (docs/decisions/0011-memory-of-the-heap.md). Bytes that share
 * their memory with others are kept.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  // Transfers the memory to a new buffer of length 0, which frees it.
  if (isOwn) buffer.transfer(0)
}
