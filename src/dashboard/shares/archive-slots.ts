import type { StreamBody } from '../../platform/http/message.ts'
import type { Borrow } from '../../storage/drives/drive.ts'

/** Per process: a ZIP file that is being sent keeps the names of its files in memory. */
const maxSlots = 4
const maxPerShare = 2
/** A client that does not read a chunk for this long loses its slot to another client. */
const longestStallMs = 10_000

interface Slot {
  readonly shareId: string
  /** When the chunk that the client has not read yet was lent; Infinity: no chunk is lent. */
  lentAtMs: number
  /** Aborts the reply, which closes the connection. */
  evict(): void
}

/** Limits how many ZIP files are sent at a time. A download that its client does not read gives way to a new one. */
export class ArchiveSlots {
  readonly #taken = new Set<Slot>()
  readonly #now: () => number

  /** @param now monotonic, milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Takes a slot. Undefined if no slot is free for this share. Call `leave` if `around` is not called. */
  enter(shareId: string) {
    const ofShare = [...this.#taken].filter((slot) => slot.shareId === shareId)
    if (ofShare.length >= maxPerShare && !this.#evictOne(ofShare)) return undefined
    if (this.#taken.size >= maxSlots && !this.#evictOne([...this.#taken])) return undefined
    const evicted = Promise.withResolvers<never>()
    evicted.promise.catch(() => undefined)
    const leave = () => this.#taken.delete(slot)
    const evict = () => {
      leave()
      evicted.reject(
        new Error('the client did not read its ZIP file, so another download took its slot'),
      )
    }
    const slot: Slot = { shareId, lentAtMs: Infinity, evict }
    this.#taken.add(slot)
    return { leave, around: (body: StreamBody) => this.#around(body, slot, evicted.promise) }
  }

  /** The body, which holds the slot until it is closed. */
  #around(body: StreamBody, slot: Slot, evicted: Promise<never>): StreamBody {
    let lending = Promise.resolve()
    const lend = async (chunk: Uint8Array, borrow: Borrow) => {
      slot.lentAtMs = this.#now()
      await borrow(chunk)
      slot.lentAtMs = Infinity
    }
    return {
      length: body.length,
      lend(borrow) {
        lending = body.lend((chunk) => lend(chunk, borrow))
        return Promise.race([lending, evicted])
      },
      close: async () => {
        const closing = lending.catch(() => undefined).then(() => body.close())
        closing.catch(() => undefined)
        // The socket of an evicted download holds its chunk until the socket is closed, which waits for this
        // function.
        if (this.#taken.delete(slot)) await closing
      },
    }
  }

  #evictOne(slots: readonly Slot[]): boolean {
    const [longest] = slots.toSorted((one, other) => one.lentAtMs - other.lentAtMs)
    if (longest === undefined || this.#now() - longest.lentAtMs < longestStallMs) return false
    longest.evict()
    return true
  }
}
