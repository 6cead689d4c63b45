import type { StreamBody } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import type { ModelEntry } from './list-schemas.ts'

/** The maximum size of a list. Entries beyond it are not listed, and the dashboard says so. */
export const maxListBytes = 16 * 1024 * 1024

/** The object around the entries. */
const frameBytes = 32
/** The additional bytes of `created` with ten digits instead of one, and of the comma. */
const createdAndComma = 10

/** The objects that a list was built from, and a digest of the answers of upstreams. */
export type ListSources = readonly unknown[]

interface KeptList {
  readonly sources: ListSources
  /** The list as JSON, split at every occurrence of its time. */
  readonly pieces: readonly string[]
  second: number
  body: ListBody | undefined
}

/** The maximum bytes of lists that clients have not read yet. Only large lists that change all the time reach it. */
const maxHeldBytes = 8 * maxListBytes

/**
 * Caches the last list of each kind as JSON. While its sources are the same, only the time in it
 * changes, and the list is not built again. The time does not change while a reply still sends the list, so that all
 * clients that read slowly share its bytes.
 */
export class ListCache {
  readonly #lists = new Map<string, KeptList>()
  readonly #total = { held: 0 }

  /** Undefined if the list must be built. `nowMs` is reported as the time of building. */
  find(name: string, sources: ListSources, nowMs: number): ListReply | undefined {
    const kept = this.#lists.get(name)
    if (kept === undefined || !isSame(kept.sources, sources)) return undefined
    const second = Math.floor(nowMs / 1_000)
    if (kept.second !== second && kept.body?.isHeld !== true) {
      const bytes = Buffer.from(kept.pieces.join(`"created":${second}`))
      kept.body = new ListBody(bytes, this.#total)
      kept.second = second
    }
    return kept.body?.reply()
  }

  /**
   * Adds a list to the cache, up to its maximum size.
   *
   * @returns whether all entries fit.
   * @throws ApiError 503 when clients leave too much unread.
   */
  keep(name: string, sources: ListSources, entries: Iterable<ModelEntry>): boolean {
    if (this.#total.held > maxHeldBytes - maxListBytes) {
      throw new ApiError(503, 'Too many clients are still receiving other lists. Try again later.')
    }
    const budget = new ListBudget()
    const data: string[] = []
    for (const entry of entries) {
      if (!budget.take(entry)) break
      data.push(JSON.stringify({ ...entry, created: 0 }))
    }
    // Inside a JSON string the quotes would be escaped, so only the field matches.
    const pieces = `{"object":"list","data":[${data.join()}]}`.split('"created":0')
    this.#lists.set(name, { sources, pieces, second: Number.NaN, body: undefined })
    return !budget.isSpent
  }
}

function isSame(left: ListSources, right: ListSources): boolean {
  return left.length === right.length && left.every((source, index) => source === right[index])
}

/** Bytes handed to a socket at a time: TLS holds a copy of what it has not sent. */
const chunkBytes = 128 * 1024

/** A list as the body of one reply. It holds the bytes until it is closed. */
export interface ListReply extends StreamBody {
  /** Shared with other replies: must not be modified. */
  readonly bytes: Buffer
}

/** The bytes of a list, which all replies that send it share. */
class ListBody {
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

/** Counts the bytes of one list. After the first entry that does not fit, all others are refused. */
export class ListBudget {
  #left = maxListBytes - frameBytes
  #isSpent = false

  get isSpent(): boolean {
    return this.#isSpent
  }

  /** Counts an entry. Returns whether it fits. */
  take({ id, owned_by, kind }: Pick<ModelEntry, 'id' | 'owned_by' | 'kind'>): boolean {
    const json = JSON.stringify({ id, object: 'model', created: 0, owned_by, kind })
    this.#left -= Buffer.byteLength(json) + createdAndComma
    this.#isSpent ||= this.#left < 0
    return !this.#isSpent
  }
}
