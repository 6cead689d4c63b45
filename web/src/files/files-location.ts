import type { EntryFilter } from './search/entry-filter.ts'

/**
 * What is shown instead of a folder: the results of a search in it and everything below it, or in all buckets; the starred
 * or the recent files.
 */
type SearchScope = 'below' | 'all' | 'starred' | 'recent'

/** The state in the address of the file browser: everything that reload and Back need. */
export interface FilesLocation extends Omit<EntryFilter, 'text'> {
  /** Undefined: the list of buckets, or a search in all of them. */
  readonly bucket: string | undefined
  /** The folder: '' or a prefix that ends in a slash. */
  readonly prefix: string
  /** Shows only names that contain this text. */
  readonly filter: string
  /** Undefined: only the entries of the folder itself. */
  readonly scope?: SearchScope | undefined
  /** The file that is open in the preview: viewed-address.ts. */
  readonly view?: string | undefined
}

/** The optional fields, by their names in the address. */
const fields = {
  in: 'scope',
  kind: 'kind',
  changed: 'changed',
  size: 'size',
  view: 'view',
} as const

/** @param path below the app's base: `/files/photos`. @param search with or without `?`. */
export function readLocation(path: string, search: string): FilesLocation {
  const bucket = /^\/files\/([^/]+)/.exec(path)?.[1]
  const parameters = new URLSearchParams(search)
  // `/files/photos/2024/` also means a folder; links have it in the query.
  const below = path.slice(`/files/${bucket}/`.length)
  const prefix = parameters.get('prefix') ?? below
  const filter = parameters.get('filter') ?? ''
  const optional = Object.entries(fields).flatMap(([name, field]) => {
    const value = parameters.get(name) ?? ''
    // Only a text can be searched for.
    const isSearch = filter.trim() !== '' && (value === 'below' || value === 'all')
    const isKnown = field !== 'scope' || isSearch || (isView(value) && bucket === undefined)
    return value !== '' && isKnown ? [[field, value] as const] : []
  })
  return {
    bucket,
    // A prefix typed without a trailing slash also means the folder.
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    filter,
    ...Object.fromEntries(optional),
  }
}

/** Whether the scope is a view of all buckets, which needs no text. */
export function isView(scope: string | undefined): scope is 'starred' | 'recent' {
  return scope === 'starred' || scope === 'recent'
}

/** Whether files of all buckets are shown. */
export function isEverywhere(scope: FilesLocation['scope']): boolean {
  return scope === 'all' || isView(scope)
}

/**
 * The address below the app's base. The folder is in the query: browsers remove `..` and `.` from
 * paths, and both are legal in keys.
 */
export function locationPath(location: FilesLocation): string {
  const { bucket, prefix, filter } = location
  const optional = Object.entries(fields).map(([name, field]) => [name, location[field]] as const)
  const parameters = [['prefix', prefix] as const, ['filter', filter] as const, ...optional]
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value = '']) => `${name}=${queryValue(value)}`)
  const path = bucket === undefined ? '/files' : `/files/${bucket}`
  return `${path}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
}

/** Slashes stay readable: a query may have them (RFC 3986 section 3.4). */
function queryValue(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%2F', '/')
}
