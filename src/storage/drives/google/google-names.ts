/**
 * Maps keys to names of folders and files, and back. A key is split at `/` into segments, and each
 * segment is one name: Drive accepts all characters, any length, and files beside folders of the
 * same name. Only a few segments are escaped, reversibly, so that two keys never share a name:
 *
 *   segment       name
 *   ''            `.%`        (an object `a/` is the file `.%` in folder `a`)
 *   NUL           `%00`       (Google's JSON and PostgreSQL do not allow it)
 *   `%2F`         `/`         (a user may name a file `a/b`: its key ends in `a%2Fb`)
 *   segments that look like one of these get another `25`: segment `%00` is the name `%2500`,
 *   segment `%252F` is the name `%2F`, segment `.%` is the name `.%25`
 *
 * Drive allows at most 100 levels of folders. If a key has more than `maxFolders`, the name of its
 * file contains the rest with its slashes, and the file has the property `deepProperty`.
 */

/** Levels of folders in a bucket. The root itself may be some levels deep. */
export const maxFolders = 80

/** The property of files whose name contains slashes of the key. */
export const deepProperty = 'deep'

export interface GooglePath {
  /** Segments of the folders, outermost first. */
  readonly folders: readonly string[]
  /** Segment of the file; with slashes if `isDeep`. */
  readonly segment: string
  readonly isDeep: boolean
}

const odd = /[%\0/]|^$/
/** The escaped form of the empty segment, and what looks like it. */
const emptyLike = /^\.%(?:25)*$/
const escapesInSegment = /\0|%(?:25)*00|%(?:25)*2F/g
const escapesInName = /\/|%(?:25)*00|%(?:25)*2F/g

/** The path of a key's object. A key that ends in `/` has an empty last segment. */
export function googlePathOf(key: string): GooglePath {
  const folders = key.split('/')
  const isDeep = folders.length - 1 > maxFolders
  const segment = isDeep ? folders.splice(maxFolders).join('/') : (folders.pop() ?? '')
  return { folders, segment, isDeep }
}

export function nameOfSegment(segment: string): string {
  if (!odd.test(segment)) return segment
  if (segment === '') return '.%'
  if (emptyLike.test(segment)) return `${segment}25`
  return segment.replace(escapesInSegment, (form) => {
    if (form === '\0') return '%00'
    if (form === '%2F') return '/'
    return form.endsWith('2F') ? form.replace('%25', '%') : form.replace('%', '%25')
  })
}

/** The inverse of `nameOfSegment`; undefined if the name belongs to no key. */
export function segmentOfName(name: string): string | undefined {
  if (!odd.test(name)) return name.isWellFormed() ? name : undefined
  if (name === '' || name.includes('\0') || !name.isWellFormed()) return undefined
  if (name === '.%') return ''
  if (emptyLike.test(name)) return name.slice(0, -2)
  return name.replace(escapesInName, (form) => {
    if (form === '%00') return '\0'
    if (form === '/') return '%2F'
    return form.endsWith('2F') ? form.replace('%', '%25') : form.replace('%25', '%')
  })
}

/** The name of a deep file: the rest of the key, with NUL escaped. */
export function nameOfDeepSegment(segment: string): string {
  return segment.replace(/%(?:25)*00|\0/g, (form) =>
    form === '\0' ? '%00' : form.replace('%', '%25'),
  )
}

/** The inverse of `nameOfDeepSegment`. */
export function deepSegmentOfName(name: string): string | undefined {
  if (name === '' || name.includes('\0') || !name.isWellFormed()) return undefined
  return name.replace(/%(?:25)*00/g, (form) => (form === '%00' ? '\0' : form.replace('%25', '%')))
}
