import type { StreamBody } from '../../platform/http/message.ts'

/** Bytes handed to a socket at a time: TLS holds a copy of what it has not sent. */
const chunkBytes = 128 * 1024

/** A list as the body of one reply. It holds the bytes until it is closed. */
export interface ListReply extends StreamBody {
  /** Shared with other replies: must not be modified. */
  readonly bytes: Buffer
}

/** The bytes of a list, which all replies that send it share. */
export class ListBody {
  readonly #bytes: Buffer
  readonly #total: { held: number }
  #replies = 0

  /** @param total the bytes that replies hold, of all bodies together. */
  constructor(bytes: Buffer, total: { held: number }) {
    this.#bytes = bytes
    this.#total = total
  }

  get isHeld(): boolean {
    return this.#replies > 0
  }

  /** The body of one more reply. */
  reply(): ListReply {
    const bytes = this.#bytes
    if (this.#replies++ === 0) this.#total.held += bytes.length
    return {
      bytes,
      length: bytes.length,
      lend: async (borrow) => {
        for (let from = 0; from < bytes.length; from += chunkBytes) {
          await borrow(bytes.subarray(from, from + chunkBytes))
        }
      },
      close: async () => {
        if (--this.#replies === 0) this.#total.held -= bytes.length
      },
    }
  }
}
