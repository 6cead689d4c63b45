import { BufferPool } from '../../src/platform/process/buffers.ts'

/** Overwrites a buffer as soon as it is given back, so that whoever still uses it gets wrong bytes. */
export class PoisonedPool extends BufferPool {
  override give(buffer: Buffer<ArrayBuffer>): void {
    buffer.fill(0xee)
    super.give(buffer)
  }
}
