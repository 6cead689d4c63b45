import type { ModelEntry } from './list/model-entry.ts'

/** The objects that a list was built from, upstreams not asked. */
export type ListSources = readonly unknown[]

interface KeptList {
  readonly sources: ListSources
  /** The list as JSON, cut wherever its time stands. */
  readonly pieces: readonly string[]
  second: number
  body: Buffer
}

/**
 * The last list of each kind of list as JSON. While its sources are the same objects, only the time
 * in it changes, once a second: a list of 2,000 models is then sent as it is.
 */
export class KeptLists {
  readonly #lists = new Map<string, KeptList>()

  /** Undefined when the list must be built. `nowMs` is the time that it says it was built. */
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

  /** Keeps a list, to be found from now on. */
  keep(name: string, sources: ListSources, entries: readonly ModelEntry[]): void {
    const json = listJson(entries.map((entry) => ({ ...entry, created: 0 })))
    // Within a JSON string the quotes would be escaped: nothing but the field looks like this.
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
