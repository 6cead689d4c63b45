import { useCallback, useEffect, useRef, useState } from 'react'
import { unreachable } from '../../api/api-error.ts'
import { requestStream } from '../../api/client.ts'
import { lineGroups } from '../../api/json-lines.ts'
import { noResults, type SearchLine, type SearchResults, withLines } from './search-results.ts'

/** Delay after the last keystroke. */
const debounceMs = 200

export interface SearchWish {
  readonly text: string
  /** Undefined: everywhere. */
  readonly bucket: string | undefined
  /** '' or ends in a slash. */
  readonly prefix: string
}

interface SearchState {
  readonly results: SearchResults
  readonly isSearching: boolean
  readonly error: Error | undefined
}

export interface Search extends SearchState {
  /** Continues the search, also after an error. */
  readonly searchOn: () => void
}

const atRest: SearchState = { results: noResults, isSearching: false, error: undefined }

/** Searches while the user types. A new search cancels the previous one. */
export function useSearch({ text, bucket, prefix }: SearchWish): Search {
  const [state, setState] = useState(atRest)
  const running = useRef<AbortController>(undefined)
  const begunWith = useRef(noResults)
  const run = useCallback(
    (before: SearchResults) => {
      running.current?.abort()
      const control = new AbortController()
      running.current = control
      begunWith.current = before
      void runSearch({ text, bucket, prefix }, before, control.signal, setState)
    },
    [text, bucket, prefix],
  )
  useEffect(() => {
    setState({ ...atRest, isSearching: text !== '' })
    if (text === '') return
    const timer = setTimeout(() => run(noResults), debounceMs)
    return () => {
      clearTimeout(timer)
      running.current?.abort()
    }
  }, [text, run])
  const { results, error } = state
  return { ...state, searchOn: () => run(error === undefined ? results : begunWith.current) }
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
