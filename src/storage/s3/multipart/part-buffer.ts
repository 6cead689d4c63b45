import type { BufferPool } from '../../../platform/process/buffer-pool.ts'
import type { PartMemory } from '../../drives/upload-abilities.ts'
import { type PayloadSink, payloadBlockBytes } from '../body/payload-writer.ts'

/** The part is no longer needed: the rest of its bytes is discarded. */
class PartLeft extends Error {}

/** Where early parts are buffered. */
export interface PartRoom {
  readonly memory: PartMemory
  readonly pool: BufferPool
}

/** Buffers bytes in reserved memory until it is drained into a sink; later bytes pass through. */
export class PartBuffer implements PayloadSink {
  readonly #room: PartRoom
  #reserved: number
  #chunks: Buffer<ArrayBuffer>[] = []
  #sink: PayloadSink | undefined
  #draining: Promise<void> | undefined

  /** @param reserved bytes that were taken from the memory; the buffer gives them back. */
  constructor(room: PartRoom, reserved: number) {
    this.#room = room
    this.#reserved = reserved
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#sink === undefined) {
      this.#copy(chunk)
      return
    }
    await this.#draining
    await this.#sink.write(chunk)
  }

  /** Resolves when the sink has all buffered bytes. */
  async drain(sink: PayloadSink): Promise<void> {
    this.#sink = sink
    this.#draining = this.#moveTo(sink)
    await this.#draining
  }

  /** Releases the memory; unless it was drained, later writes fail. Idempotent. */
  discard(): void {
    this.#chunks = []
    this.#release(this.#reserved)
    this.#sink ??= { write: () => Promise.reject(new PartLeft()) }
  }

  async #moveTo(sink: PayloadSink): Promise<void> {
    for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) {
      await sink.write(chunk)
      this.#room.pool.give(chunk)
      this.#release(chunk.length)
    }
    // The rest passes through.
    this.#release(this.#reserved)
  }

  #release(bytes: number): void {
    // A write that was in progress at `discard` returns after all memory was released.
    const released = Math.min(bytes, this.#reserved)
    this.#reserved -= released
    this.#room.memory.give(released)
  }

  /** In pieces of the pool's size. */
  #copy(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += payloadBlockBytes) {
      this.#chunks.push(this.#copyOf(bytes.subarray(at, at + payloadBlockBytes)))
    }
  }

  #copyOf(bytes: Uint8Array): Buffer<ArrayBuffer> {
    if (bytes.length !== payloadBlockBytes) return Buffer.from(bytes)
    const copy = this.#room.pool.take()
    copy.set(bytes)
    return copy
  }
}
