/**
 * What files and folders are called for a key, and back. A key is cut at `/` into segments; each is
 * one name, as it is: Drive takes any characters, any length, and files beside folders of the same
 * name. Few things need another form, each reversible, so that two keys never share a name:
 *
 *   segment       name
 *   ''            `.%`        (an object `a/` is the file `.%` in folder `a`)
 *   NUL           `%00`       (no JSON of Google's, and no PostgreSQL, carries it)
 *   `%2F`         `/`         (a person may call a file `a/b`: its key ends in `a%2Fb`)
 *   what reads like one of these gets one `25` more: segment `%00` is the name `%2500`,
 *   segment `%252F` is the name `%2F`, segment `.%` is the name `.%25`
 *
 * Drive takes at most 100 levels of folders. A key with more than `maxFolders` has the rest, with
 * its slashes, in the name of its file, which carries the property `deepProperty`.
 */

/** Folders below the bucket's; the root itself may lie some levels deep. */
export const maxFolders = 80

/** A property of files whose name has slashes that are those of the key. */
export const deepProperty = 'deep'

export interface GooglePath {
  /** Segments of the folders, outermost first. */
  readonly folders: readonly string[]
  /** Of the file; with slashes when `isDeep`. */
  readonly segment: string
  readonly isDeep: boolean
}

const odd = /[%\0/]|^$/
/** Whole names and segments: the form of the empty one, and what reads like it. */
const emptyLike = /^\.%(?:25)*$/
const escapesInSegment = /\0|%(?:25)*00|%(?:25)*2F/g
const escapesInName = /\/|%(?:25)*00|%(?:25)*2F/g

/** Where the object of a key is. A key that ends in `/` has the empty segment at its end. */
export function pathOfKey(key: string): GooglePath {
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

/** The inverse of `nameOfSegment`; undefined for what can be no key's name. */
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

/** The name of a deep file: the rest of the key, but for what no name can hold. */
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
