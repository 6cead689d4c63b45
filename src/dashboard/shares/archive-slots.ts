import type { StreamBody } from '../../platform/http/message.ts'
import type { Borrow } from '../../storage/drives/drive.ts'

/** Of each process: a ZIP file that is being sent has the names of its files in memory. */
const maxPlaces = 4
const maxOfShare = 2
/** A client that does not take a chunk for this long loses its place to another one. */
const longestStallMs = 10_000

interface Place {
  readonly shareId: string
  /** When the chunk was lent that the client has not taken yet; Infinity: none. */
  lentAtMs: number
  /** Breaks the reply off, which closes the connection. */
  evict(): void
}

/** The ZIP files that are sent at a time. Those that nobody reads keep no others out. */
export class ArchiveSlots {
  readonly #taken = new Set<Place>()
  readonly #now: () => number

  /** @param now monotonic, milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Undefined if there is no place for this share now. Call `leave` if `around` is not called. */
  enter(shareId: string) {
    const ofShare = [...this.#taken].filter((place) => place.shareId === shareId)
    if (ofShare.length >= maxOfShare && !this.#evictOne(ofShare)) return undefined
    if (this.#taken.size >= maxPlaces && !this.#evictOne([...this.#taken])) return undefined
    const evicted = Promise.withResolvers<never>()
    evicted.promise.catch(() => undefined)
    const leave = () => this.#taken.delete(place)
    const evict = () => {
      leave()
      evicted.reject(new Error('a ZIP file that its client did not read made room for another one'))
    }
    const place: Place = { shareId, lentAtMs: Infinity, evict }
    this.#taken.add(place)
    return { leave, around: (body: StreamBody) => this.#around(body, place, evicted.promise) }
  }

  /** The body, which has the place until it is closed. */
  #around(body: StreamBody, place: Place, evicted: Promise<never>): StreamBody {
    let lending = Promise.resolve()
    const lend = async (chunk: Uint8Array, borrow: Borrow) => {
      place.lentAtMs = this.#now()
      await borrow(chunk)
      place.lentAtMs = Infinity
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
        // The socket has the chunk of an evicted one until it is closed, which waits for this.
        if (this.#taken.delete(place)) await closing
      },
    }
  }

  #evictOne(places: readonly Place[]): boolean {
    const [longest] = places.toSorted((one, other) => one.lentAtMs - other.lentAtMs)
    if (longest === undefined || this.#now() - longest.lentAtMs < longestStallMs) return false
    longest.evict()
    return true
  }
}
