import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { unreachable } from '../../api/api-error.ts'
import { requestStream } from '../../api/client.ts'
import { lineGroups } from '../../api/json-lines.ts'
import { type Entry, entryId, entryWithin, parentOf } from '../entries/entry.ts'
import { compareByName } from '../entries/entry-order.ts'
import { driveChanges } from '../transfers/transfers.ts'
import {
  entryOf,
  noResults,
  type SearchLine,
  type SearchResults,
  withLines,
} from './search-results.ts'

export interface SearchWish {
  /** '': nothing is searched. */
  readonly text: string
  /** Undefined: everywhere. */
  readonly bucket: string | undefined
  /** '' or ends in a slash. */
  readonly prefix: string
  /** A new number searches again. */
  readonly round: number
}

interface SearchState {
  readonly results: SearchResults
  readonly isSearching: boolean
  readonly error: Error | undefined
}

export interface Search extends SearchState {
  /** By name, without what this page has removed since. */
  readonly entries: readonly Entry[]
  readonly stop: () => void
  /** Continues the search, also after an error. */
  readonly searchOn: () => void
}

const atRest: SearchState = { results: noResults, isSearching: false, error: undefined }

/** The last search that ended: Back from a result shows it at once. */
let last: { readonly wish: string; readonly state: SearchState } | undefined

/** Searches by name. A new search cancels the previous one. */
export function useSearch({ text, bucket, prefix, round }: SearchWish): Search {
  const wish = JSON.stringify([text, bucket, prefix])
  const [state, setState] = useState(() => (last?.wish === wish ? last.state : atRest))
  const running = useRef<AbortController>(undefined)
  const begunWith = useRef(noResults)
  const run = useCallback(
    (before: SearchResults) => {
      running.current?.abort()
      const control = new AbortController()
      running.current = control
      begunWith.current = before
      void runSearch({ text, bucket, prefix }, before, control.signal, (next) => {
        setState(next)
        if (!next.isSearching) last = { wish: JSON.stringify([text, bucket, prefix]), state: next }
      })
    },
    [text, bucket, prefix],
  )
  useEffect(() => {
    if (round === 0 && last?.wish === wish) return setState(last.state)
    setState({ ...atRest, isSearching: text !== '' })
    if (text !== '') run(noResults)
    return () => running.current?.abort()
  }, [text, run, wish, round])
  const { results, error } = state
  return {
    ...state,
    entries: useCurrentEntries(results),
    stop: () => {
      running.current?.abort()
      setState((before) => ({ ...before, isSearching: false, error: undefined }))
    },
    searchOn: () => run(error === undefined ? results : begunWith.current),
  }
}

/** The hits as entries, with the changes that this page has made since: a rename removes one and adds another. */
function useCurrentEntries({ hits }: SearchResults): readonly Entry[] {
  const [changes, setChanges] = useState<ReadonlyMap<string, Entry | undefined>>(new Map())
  const found = useMemo(() => hits.map(entryOf), [hits])
  const shown = useRef<readonly Entry[]>([])
  useEffect(
    () =>
      driveChanges.subscribe((change) => {
        const { bucket } = change
        if (change.type === 'removed') {
          const gone = shown.current.filter(
            (entry) => entry.bucket === bucket && change.keys.has(entry.key),
          )
          if (gone.length === 0) return
          setChanges(
            (before) =>
              new Map([...before, ...gone.map((entry) => [entryId(entry), undefined] as const)]),
          )
          return
        }
        const entry = entryWithin(parentOf(change.file.key), change.file)
        if (entry === undefined) return
        const added = { ...entry, bucket }
        setChanges((before) => new Map([...before, [entryId(added), added]]))
      }),
    [],
  )
  const entries = useMemo(() => {
    const all = new Map<string, Entry | undefined>(found.map((entry) => [entryId(entry), entry]))
    for (const [id, entry] of changes) if (all.has(id) || entry !== undefined) all.set(id, entry)
    return [...all.values()].filter((entry) => entry !== undefined).sort(compareByName)
  }, [found, changes])
  useEffect(() => {
    shown.current = entries
  }, [entries])
  return entries
}

type Wished = Omit<SearchWish, 'round'>

/** Shows results until the signal aborts. */
async function runSearch(
  wish: Wished,
  before: SearchResults,
  signal: AbortSignal,
  show: (state: SearchState) => void,
): Promise<void> {
  let results: SearchResults = { ...before, next: undefined }
  const say = (changes: Partial<SearchState>) => {
    if (!signal.aborted) show({ results, isSearching: false, error: undefined, ...changes })
  }
  say({ isSearching: true })
  try {
    for await (const lines of linesOf(wish, before, signal)) {
      results = withLines(results, lines, before.looked)
      say({ isSearching: true })
    }
    if (results.next === undefined) throw unreachable(new Error('the search was cut off'))
    say({})
  } catch (failure) {
    say({ error: failure instanceof Error ? failure : new Error(String(failure)) })
  }
}

/** @throws ApiError; the signal's reason */
async function* linesOf(
  { text, bucket, prefix }: Wished,
  { next }: SearchResults,
  signal: AbortSignal,
): AsyncGenerator<readonly SearchLine[]> {
  const query = { text, bucket, prefix, after: next ?? undefined }
  const { body } = await requestStream('/-/api/search', { query, signal })
  if (body === null) throw unreachable(new Error('the reply is empty'))
  yield* lineGroups<SearchLine>(body, signal)
}
