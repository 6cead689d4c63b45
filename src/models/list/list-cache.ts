import type { StreamBody } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import type { Log } from '../../platform/process/log.ts'

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
  readonly size: number
  second: number
  body: ListBody | undefined
}

interface ListCacheParts {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly log: Pick<Log, 'warn'>
}

/** The maximum bytes of cached lists. A list that was not sent for the longest time is built again. */
const maxKeptBytes = 4 * maxListBytes

/** The maximum number of cached lists, because each holds what it was built from. */
const maxKeptLists = 64

/** The maximum bytes of lists that clients have not read yet. Only large lists that change all the time reach it. */
const maxHeldBytes = 8 * maxListBytes

/**
 * Caches the last list of each kind as JSON. While its sources are the same, only the time in it
 * changes, and the list is not built again. The time does not change while a reply still sends the list, so that all
 * clients that read slowly share its bytes.
 */
export class ListCache {
  readonly #parts: ListCacheParts
  readonly #lists = new Map<string, KeptList>()
  readonly #total = { held: 0 }
  /** The lists that exceed their maximum size, for one log line each. */
  readonly #cut = new Set<string>()

  constructor(parts: ListCacheParts) {
    this.#parts = parts
  }

  /** The list, with the current time as that of building; undefined if it must be built. */
  find(name: string, sources: ListSources): ListReply | undefined {
    const kept = this.#lists.get(name)
    if (kept === undefined || !isSame(kept.sources, sources)) return undefined
    // The last one in the map is the one that was sent last.
    this.#lists.delete(name)
    this.#lists.set(name, kept)
    return this.#replyOf(kept)
  }

  /**
   * Keeps a list, up to its maximum size, and returns it.
   *
   * @param fields entries as JSON, in which `"created":0` stands for the time
   * @throws ApiError 503 when clients leave too much unread.
   */
  keep(
    name: string,
    sources: ListSources,
    fields: Readonly<Record<string, Iterable<string>>>,
  ): ListReply {
    if (this.#total.held > maxHeldBytes - maxListBytes) {
      throw new ApiError(503, 'Too many clients are still receiving other lists. Try again later.')
    }
    const budget = new ListBudget()
    const lists = Object.entries(fields).map(([field, entries]) => {
      const taken: string[] = []
      for (const entry of entries) {
        if (!budget.take(entry)) break
        taken.push(entry)
      }
      return `"${field}":[${taken.join()}]`
    })
    const json = `{"object":"list",${lists.join()}}`
    // Inside a JSON string the quotes would be escaped, so only the field matches.
    const pieces = json.split('"created":0')
    const kept: KeptList = {
      sources,
      pieces,
      size: json.length,
      second: Number.NaN,
      body: undefined,
    }
    this.#lists.delete(name)
    this.#lists.set(name, kept)
    this.#forgetOld()
    this.#logCut(name, budget.isSpent)
    return this.#replyOf(kept)
  }

  #replyOf(kept: KeptList): ListReply {
    const second = Math.floor(this.#parts.now() / 1_000)
    if (kept.body === undefined || (kept.second !== second && !kept.body.isHeld)) {
      const bytes = Buffer.from(kept.pieces.join(`"created":${second}`))
      kept.body = new ListBody(bytes, this.#total)
      kept.second = second
    }
    return kept.body.reply()
  }

  #logCut(name: string, isCut: boolean): void {
    if (isCut && !this.#cut.has(name)) {
      this.#parts.log.warn(
        { kinds: name, maxListBytes },
        'a model list exceeds its maximum size: the models at its end are not listed',
      )
    }
    if (isCut) this.#cut.add(name)
    else this.#cut.delete(name)
  }

  /** Forgets all lists. Their bytes count as held until they are read. */
  clear(): void {
    this.#lists.clear()
  }

  #forgetOld(): void {
    let size = 0
    for (const [index, [name, kept]] of [...this.#lists].reverse().entries()) {
      size += kept.size
      if (size > maxKeptBytes || index >= maxKeptLists) this.#lists.delete(name)
    }
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

  /** Counts an entry as JSON. Returns whether it fits. */
  take(json: string): boolean {
    this.#left -= Buffer.byteLength(json) + createdAndComma
    this.#isSpent ||= this.#left < 0
    return !this.#isSpent
  }
}
