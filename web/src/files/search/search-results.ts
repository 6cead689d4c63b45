import type { SearchHit } from '../../../../src/storage/search/search.ts'
import { filesTexts } from '../../texts/files.ts'
import { type Entry, nameOf } from '../entries/entry.ts'
import { type FilesLocation, isView } from '../files-location.ts'

/** A line of `/-/api/search`, where `next` is a token for the next search. */
export type SearchLine =
  | { readonly hit: SearchHit }
  | { readonly problem: { readonly bucket: string; readonly message: string } }
  | { readonly looked: number; readonly next?: string | null }

export interface SearchResults {
  readonly hits: readonly SearchHit[]
  /** The number of objects searched so far. */
  readonly looked: number
  readonly problems: readonly string[]
  /** A token to continue the search; null: complete; undefined: running. */
  readonly next: string | null | undefined
}

export const noResults: SearchResults = { hits: [], looked: 0, problems: [], next: undefined }

/** Adds the received lines to the previous results. @param looked the objects searched before this request */
export function withLines(
  results: SearchResults,
  lines: readonly SearchLine[],
  looked: number,
): SearchResults {
  const hits = lines.flatMap((line) => ('hit' in line ? [line.hit] : []))
  const problems = lines.flatMap((line) =>
    'problem' in line ? [`${line.problem.bucket}: ${line.problem.message}`] : [],
  )
  const last = lines.findLast((line) => 'looked' in line)
  return {
    hits: hits.length === 0 ? results.hits : [...results.hits, ...hits],
    looked: last === undefined ? results.looked : looked + last.looked,
    problems: problems.length === 0 ? results.problems : [...results.problems, ...problems],
    next: last === undefined || last.next === undefined ? results.next : last.next,
  }
}

/** The hit as an entry of a list. */
export function entryOf({ bucket, key, kind, fileTimeMs, ...hit }: SearchHit): Entry {
  const shown = { bucket, key, name: nameOf(key) }
  if (kind === 'folder') return { kind, ...shown }
  const { size, modifiedAtMs, etag } = hit
  const known = { size: size ?? 0, modifiedAtMs: modifiedAtMs ?? 0, etag: etag ?? '' }
  return { kind, ...shown, ...known, ...(fileTimeMs !== undefined && { fileTimeMs }) }
}

/** The title of what is shown instead of a folder. */
export function resultsName(scope: FilesLocation['scope']): string {
  return isView(scope) ? filesTexts.views[scope] : filesTexts.search.title
}
