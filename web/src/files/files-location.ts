/** The state in the address of the file browser: everything that reload and Back need. */
export interface FilesLocation {
  /** Undefined: the list of buckets. */
  readonly bucket: string | undefined
  /** The folder: '' or a prefix that ends in a slash. */
  readonly prefix: string
  /** Shows only names that begin with this text. */
  readonly filter: string
  /** The name of the file that is open in the preview. */
  readonly view?: string | undefined
}

/** @param path below the app's base: `/files/photos`. @param search with or without `?`. */
export function readLocation(path: string, search: string): FilesLocation {
  const bucket = /^\/files\/([^/]+)/.exec(path)?.[1]
  const parameters = new URLSearchParams(search)
  const prefix = parameters.get('prefix') ?? ''
  const view = parameters.get('view') ?? ''
  return {
    bucket,
    // A prefix typed without a trailing slash also means the folder.
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    filter: parameters.get('filter') ?? '',
    ...(view !== '' && { view }),
  }
}

/**
 * The address below the app's base. The folder is in the query: browsers remove `..` and `.` from
 * paths, and both are legal in keys.
 */
export function locationPath({ bucket, prefix, filter, view }: FilesLocation): string {
  if (bucket === undefined) return '/files'
  const parameters = [
    ...(prefix === '' ? [] : [`prefix=${queryValue(prefix)}`]),
    ...(filter === '' ? [] : [`filter=${queryValue(filter)}`]),
    ...(view === undefined ? [] : [`view=${queryValue(view)}`]),
  ]
  return `/files/${bucket}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
}

/** Slashes stay readable: a query may have them (RFC 3986 section 3.4). */
function queryValue(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%2F', '/')
}
