import type { Attributes } from '../attributes.ts'
import type { ObjectMetadata, OpenObject } from '../drive.ts'

/** A small object that is already in memory: no file or request is open. */
export class CachedObject implements OpenObject {
  readonly size: number
  readonly modifiedAtMs: number
  readonly attributes: Attributes
  readonly content: Uint8Array
  #isClosed = false

  constructor({ size, modifiedAtMs, attributes }: ObjectMetadata, content: Uint8Array) {
    this.size = size
    this.modifiedAtMs = modifiedAtMs
    this.attributes = attributes
    this.content = content
  }

  async *read(start: number, end: number): AsyncGenerator<Uint8Array> {
    if (end > start && !this.#isClosed) yield this.content.subarray(start, end)
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }
}
