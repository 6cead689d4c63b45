const mebibyte = 1024 * 1024

/** For the buffers of 128 readers. */
const totalBytes = 64 * mebibyte

/**
 * Limits the memory of all readers of a process together. It only counts bytes: each reader allocates
 * its buffers, and leaves them to the garbage collector.
 */
export class ReadMemory {
  #freeBytes = totalBytes

  /** Whether a reader may use this many bytes. If so, it must return them with `give`. */
  take(bytes: number): boolean {
    if (bytes > this.#freeBytes) return false
    this.#freeBytes -= bytes
    return true
  }

  give(bytes: number): void {
    this.#freeBytes += bytes
  }
}
