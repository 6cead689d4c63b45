import type { Attributes } from '../../attributes.ts'
import type { OpenObject } from '../../drive.ts'
import type { WholeObject } from './seen-file-cache.ts'

/** A small object that was read whole: no file is open. */
export class CachedObject implements OpenObject {
  readonly size: number
  readonly modifiedAtMs: number
  readonly attributes: Attributes
  readonly content: Uint8Array
  #isClosed = false

  constructor({ metadata, content }: WholeObject) {
    this.size = metadata.size
    this.modifiedAtMs = metadata.modifiedAtMs
    this.attributes = metadata.attributes
    this.content = content
  }

  async *read(start: number, end: number): AsyncGenerator<Uint8Array> {
    if (end > start && !this.#isClosed) yield this.content.subarray(start, end)
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }
}
