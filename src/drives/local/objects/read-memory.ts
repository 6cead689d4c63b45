const mebibyte = 1024 * 1024

/** For the buffers of 128 readers. */
const totalBytes = 64 * mebibyte

/**
 * Bounds the memory of all readers of a process together. It counts bytes and holds none: a buffer
 * has one reader for as long as it is filled, and is left to the collector then.
 */
export class ReadMemory {
  #freeBytes = totalBytes

  /** Whether a reader may have this many bytes. If so, it returns them when it is done. */
  take(bytes: number): boolean {
    if (bytes > this.#freeBytes) return false
    this.#freeBytes -= bytes
    return true
  }

  give(bytes: number): void {
    this.#freeBytes += bytes
  }
}
