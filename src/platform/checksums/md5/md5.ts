import { digestBlocks } from './md5-blocks.ts'
import { blockBytes } from './md5-module.ts'
import { md5Hex, newMd5Words } from './md5-words.ts'

/** The next bytes of a message. */
export interface NextBytes {
  readonly md5: Md5
  readonly bytes: Uint8Array
}

/** MD5 of a message that arrives in pieces, together with others. */
export class Md5 {
  readonly #words = newMd5Words()
  /** What arrived behind the last whole block. */
  #tail: Uint8Array = new Uint8Array()
  #size = 0

  /** Takes the next bytes of different messages. Four together take less than half of the time of one after the other. */
  static update(next: readonly NextBytes[]): void {
    digestBlocks(next.map(({ md5, bytes }) => ({ words: md5.#words, bytes: md5.#take(bytes) })))
  }

  /** The tail and these bytes; the next tail is behind their last whole block. */
  #take(bytes: Uint8Array): Uint8Array {
    this.#size += bytes.length
    const all = this.#tail.length === 0 ? bytes : Buffer.concat([this.#tail, bytes])
    this.#tail = Uint8Array.from(all.subarray(all.length - (all.length % blockBytes)))
    return all
  }

  /** In lower-case hexadecimal. It ends the message. */
  hex(): string {
    return md5Hex(this.#words, this.#tail, this.#size)
  }
}
