import type { ModelEntry } from './list-schemas.ts'

/** The objects that a list was built from, without upstreams. */
export type ListSources = readonly unknown[]

interface KeptList {
  readonly sources: ListSources
  /** The list as JSON, split at every occurrence of its time. */
  readonly pieces: readonly string[]
  second: number
  body: Buffer
}

/**
 * Caches the last list of each kind as JSON. While its sources are the same objects, only the time
 * in it changes, once a second, and a list of 2,000 models is sent without building it again.
 */
export class ListCache {
  readonly #lists = new Map<string, KeptList>()

  /** Undefined if the list must be built. `nowMs` is reported as the time of building. */
  find(name: string, sources: ListSources, nowMs: number): Buffer | undefined {
    const kept = this.#lists.get(name)
    if (kept === undefined || !isSame(kept.sources, sources)) return undefined
    const second = Math.floor(nowMs / 1_000)
    if (kept.second !== second) {
      kept.second = second
      kept.body = Buffer.from(kept.pieces.join(`"created":${second}`))
    }
    return kept.body
  }

  /** Adds a list to the cache. */
  keep(name: string, sources: ListSources, entries: readonly ModelEntry[]): void {
    const json = listJson(entries.map((entry) => ({ ...entry, created: 0 })))
    // Inside a JSON string the quotes would be escaped, so only the field matches.
    this.#lists.set(name, {
      sources,
      pieces: json.split('"created":0'),
      second: Number.NaN,
      body: Buffer.alloc(0),
    })
  }
}

/** The response of docs/contract/model-list.md, "Requests". */
export function listJson(entries: readonly ModelEntry[]): string {
  return JSON.stringify({ object: 'list', data: entries })
}

function isSame(left: ListSources, right: ListSources): boolean {
  return left.length === right.length && left.every((source, index) => source === right[index])
}
