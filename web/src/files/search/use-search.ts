import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { unreachable } from '../../api/api-error.ts'
import { requestStream } from '../../api/client.ts'
import { lineGroups } from '../../api/json-lines.ts'
import type { Entry } from '../entries/entry.ts'
import type { DriveChange } from '../transfers/drive-changes.ts'
import { driveChanges } from '../transfers/transfers.ts'
import { currentEntries, type SearchWish } from './current-entries.ts'
import {
  entryOf,
  noResults,
  type SearchLine,
  type SearchResults,
  withLines,
} from './search-results.ts'

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

/** How many changes this page has made. */
let changeCount = 0
driveChanges.subscribe(() => {
  changeCount += 1
})

interface EndedSearch {
  readonly wish: string
  readonly state: SearchState
  /** The number of changes when it began. */
  readonly begunAt: number
}

/** The last search that ended: Back from a result shows it at once. */
let last: EndedSearch | undefined

/** What is known of a search, unless this page has changed something since. */
function knownOf(wish: string): SearchState | undefined {
  return last?.wish === wish && last.begunAt === changeCount ? last.state : undefined
}

/** Searches by name. A new search cancels the previous one. @param round a new number searches again */
export function useSearch({ text, bucket, prefix }: SearchWish, round: number): Search {
  const wish = JSON.stringify([text, bucket, prefix])
  const [state, setState] = useState(() => knownOf(wish) ?? atRest)
  const running = useRef<AbortController>(undefined)
  const begunWith = useRef(noResults)
  const begunAt = useRef(0)
  const run = useCallback(
    (before: SearchResults) => {
      running.current?.abort()
      const control = new AbortController()
      running.current = control
      begunWith.current = before
      if (before === noResults) begunAt.current = changeCount
      void runSearch({ text, bucket, prefix }, before, control.signal, (next) => {
        setState(next)
        if (!next.isSearching) last = { wish, state: next, begunAt: begunAt.current }
      })
    },
    [text, bucket, prefix, wish],
  )
  useEffect(() => {
    const known = round === 0 ? knownOf(wish) : undefined
    if (known !== undefined) return setState(known)
    setState({ ...atRest, isSearching: text !== '' })
    if (text !== '') run(noResults)
    return () => running.current?.abort()
  }, [text, run, wish, round])
  const { results, error } = state
  return {
    ...state,
    entries: useCurrentEntries(results, { text, bucket, prefix }, round),
    stop: () => {
      running.current?.abort()
      setState((before) => ({ ...before, isSearching: false, error: undefined }))
    },
    searchOn: () => run(error === undefined ? results : begunWith.current),
  }
}

const noChanges: readonly DriveChange[] = []

/** The hits as entries, with the changes since the search began. */
function useCurrentEntries(
  { hits }: SearchResults,
  { text, bucket, prefix }: SearchWish,
  round: number,
): readonly Entry[] {
  const [changes, setChanges] = useState(noChanges)
  const isShown = text !== ''
  // biome-ignore lint/correctness/useExhaustiveDependencies: each search finds what has changed before it
  useEffect(() => {
    setChanges(noChanges)
    if (!isShown) return
    return driveChanges.subscribeToBatches((batch) => setChanges((before) => [...before, ...batch]))
  }, [isShown, text, bucket, prefix, round])
  return useMemo(
    () => (isShown ? currentEntries(hits.map(entryOf), changes, { text, bucket, prefix }) : []),
    [hits, changes, isShown, text, bucket, prefix],
  )
}

/** Shows results until the signal aborts. */
async function runSearch(
  wish: SearchWish,
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
  { text, bucket, prefix }: SearchWish,
  { next }: SearchResults,
  signal: AbortSignal,
): AsyncGenerator<readonly SearchLine[]> {
  const query = { text, bucket, prefix, after: next ?? undefined }
  const { body } = await requestStream('/-/api/search', { query, signal })
  if (body === null) throw unreachable(new Error('the reply is empty'))
  yield* lineGroups<SearchLine>(body, signal)
}
