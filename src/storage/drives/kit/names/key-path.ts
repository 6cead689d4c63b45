/**
 * Maps keys to paths in a folder tree, and back. A key is split at `/` into segments, and each
 * segment becomes one name. Ordinary segments are their own names. Others are escaped so that two
 * keys never share a path and a path never has two keys:
 *
 *   ''            `.%`         (an object `a/` is the hidden file `.%` in folder `a`; `%2E%` on a drive
 *                              that rejects or hides such names)
 *   `.` and `..`  `%2E` and `%2E%2E`
 *   with NUL      NUL becomes `%00` and `%` becomes `%25`
 *   a segment that looks like one of these forms, or those below: `%` becomes `%25`
 *
 * An object `a` beside objects `a/…` can't be the file `a`, because `a` is a folder: it is the file
 * `a.%file`, its alternative path (`a%2E%file` on a drive that hides names with a leading dot).
 * Names that are too long are cut, see long-name.ts. Unicode is kept byte for byte. Characters that
 * some file systems reject (`:`, `\`, trailing dots) are escaped only if the drive has rules for
 * them (name-rules.ts). Otherwise the drive rejects the key as `invalid-key` if its file system
 * does.
 *
 * `decodeName` returns a segment for every name that a user may choose, with two exceptions, which belong to no key and
 * are ignored: a *folder* that ends in `.%file`, and a name of 252 to 255 bytes that ends in `%+` and does not have the
 * content that `pathOfKey` creates there.
 */
import { DriveError } from '../../drive-error.ts'
import {
  continuedText,
  cutName,
  endsLikeContinued,
  isCutAt,
  lastPiece,
  looksContinued,
  maxNameBytes,
} from './long-name.ts'
import {
  alternativeSuffixOf,
  escapeRefused,
  isCutAtHiddenDot,
  isRefused,
  type NameRules,
  plainNames,
  unescapeBytes,
} from './name-rules.ts'

/** AWS, "Naming Amazon S3 objects": the name of a key is at most 1,024 bytes long in UTF-8. */
export const maxKeyBytes = 1024

/** The name of the object of a folder itself: the last segment of its key is empty. */
const folderMarker = '.%'

/** Escaped forms beyond the rule for `%` and NUL. They are short because paths have limits. */
const specialNames: ReadonlyMap<string, string> = new Map([
  ['.', '%2E'],
  ['..', '%2E%2E'],
])
const specialSegments: ReadonlyMap<string, string> = new Map(
  [...specialNames].map(([segment, name]) => [name, segment]),
)

/** The suffix on drives without name rules. */
const alternativeSuffix = alternativeSuffixOf(plainNames)

/** Matches keys that may need escapes; any other key is its own path. */
const oddKey = /[%\0]|(?:^|\/)\.{0,2}(?:\/|$)/

/** A name of at most this many UTF-16 units, with its suffix, always fits in `maxNameBytes`. */
const maxPlainUnits = Math.floor((maxNameBytes - alternativeSuffix.length) / 3)

export interface KeyPath {
  /** The path's components below the bucket's folder; all but the last are folders. */
  readonly natural: readonly string[]
  /** The path of the object's file if a folder has the natural path. */
  readonly alternative: readonly string[]
}

/** Whether S3 allows this key: 1 to 1,024 bytes of UTF-8, so no lone surrogate. */
export function isLegalKey(key: string): boolean {
  if (key === '' || key.length > maxKeyBytes || !key.isWellFormed()) return false
  return key.length * 3 <= maxKeyBytes || Buffer.byteLength(key) <= maxKeyBytes
}

/** @throws DriveError `invalid-key` for a key that S3 does not allow. */
export function requireLegalKey(key: string): void {
  if (isLegalKey(key)) return
  throw new DriveError('invalid-key', 'A key must have 1 to 1,024 bytes of UTF-8.')
}

/** The two paths where the file of a legal key may be. */
export function pathOfKey(key: string, rules: NameRules = plainNames): KeyPath {
  const segments = key.split('/')
  const last = segments.pop() ?? ''
  const mayBePlain = rules === plainNames && !oddKey.test(key)
  const isPlain = mayBePlain && (key.length <= maxPlainUnits || segments.every(isShort))
  if (isPlain && isShort(last)) {
    return { natural: [...segments, last], alternative: [...segments, last + alternativeSuffix] }
  }
  const cut = (name: string) => cutName(name, rules.maxNameBytes)
  const folders = segments.flatMap((segment) => cut(encodeSegment(segment, rules)))
  const name = encodeSegment(last, rules)
  return {
    natural: [...folders, ...cut(name)],
    alternative: [...folders, ...cut(name + alternativeSuffixOf(rules))],
  }
}

/** The keys whose natural paths are folders on the way to this key: for `a/b/c`, `a` and `a/b`. */
export function* keysAbove(key: string): Generator<string> {
  for (let end = key.indexOf('/', 1); end !== -1; end = key.indexOf('/', end + 1)) {
    yield key.slice(0, end)
  }
}

/** The folder components of a prefix that ends in `/`, or of the bucket when it is empty. */
export function pathOfFolder(prefix: string, rules: NameRules = plainNames): string[] {
  if (prefix === '') return []
  return prefix
    .slice(0, -1)
    .split('/')
    .flatMap((segment) => cutName(encodeSegment(segment, rules), rules.maxNameBytes))
}

/** Where a name was found. */
export interface NameContext {
  readonly isFile: boolean
  /** The `continued` of the folder that holds the name, when that folder is a cut name's piece. */
  readonly continued?: string
}

export type DecodedName =
  | {
      readonly kind: 'segment'
      readonly segment: string
      /** The file is at its alternative path; it counts if no file is at the natural one. */
      readonly isAlternative: boolean
    }
  /** A folder with the rest of longer names: decode its content with this `continued`. */
  | { readonly kind: 'continuation'; readonly continued: string }

/** The inverse of `pathOfKey` for one name; undefined if it belongs to no key. */
export function decodeName(
  name: string,
  context: NameContext,
  rules: NameRules = plainNames,
): DecodedName | undefined {
  const before = context.continued ?? ''
  if (before === '' && !name.includes('%') && !isRefused(name, rules)) {
    return { kind: 'segment', segment: name, isAlternative: false }
  }
  const limit = rules.maxNameBytes
  if (looksContinued(name, limit)) {
    const text = continuedText(name)
    if (context.isFile || !isCutAt(before, text, limit)) return undefined
    return { kind: 'continuation', continued: before + text }
  }
  const whole = before + name
  if (before !== '' && lastPiece(whole, limit) !== name) return undefined
  return decodeWhole(whole, context.isFile, rules)
}

function decodeWhole(name: string, isFile: boolean, rules: NameRules): DecodedName | undefined {
  const isAlternative = isAlternativeName(name, rules)
  if (isAlternative && !isFile) return undefined
  const stem = isAlternative ? name.slice(0, -alternativeSuffixOf(rules).length) : name
  const segment = escapedSegment(stem, rules)
  // A name that the drive refuses was created by other means and can't be accessed.
  if (segment === undefined && isRefused(stem, rules)) return undefined
  return { kind: 'segment', segment: segment ?? stem, isAlternative }
}

function isShort(name: string): boolean {
  return name.length <= maxPlainUnits
}

/** The natural name of a segment, not yet cut. */
function encodeSegment(segment: string, rules: NameRules): string {
  return mustEscape(segment, rules) ? escapeSegment(segment, rules) : segment
}

function mustEscape(segment: string, rules: NameRules): boolean {
  return isReserved(segment, rules) || escapedSegment(segment, rules) !== undefined
}

/** Whether a segment can't be a natural name for a reason other than looking escaped. */
function isReserved(segment: string, rules: NameRules): boolean {
  const isSpecial = segment === '' || specialNames.has(segment)
  if (isSpecial || segment.includes('\0') || isRefused(segment, rules)) return true
  return isAlternativeName(segment, rules) || endsLikeContinued(segment, rules.maxNameBytes)
}

/** Whether this is a natural name with the suffix. (`x.%file.%file` is not: it is its own name.) */
function isAlternativeName(name: string, rules: NameRules): boolean {
  const suffix = alternativeSuffixOf(rules)
  return name.endsWith(suffix) && isNaturalName(name.slice(0, -suffix.length), rules)
}

function isNaturalName(name: string, rules: NameRules): boolean {
  return escapedSegment(name, rules) !== undefined || !isReserved(name, rules)
}

/**
 * The segment whose escaped form this name is, if any. The recursion with mustEscape ends because
 * each step removes characters.
 */
function escapedSegment(name: string, rules: NameRules): string | undefined {
  const segment = unescapeName(name, rules)
  return segment !== undefined && mustEscape(segment, rules) ? segment : undefined
}

function escapeSegment(segment: string, rules: NameRules): string {
  if (segment === '') return markerOf(rules)
  const special = specialNames.get(segment)
  if (special !== undefined) return special
  const escaped = segment.replaceAll('%', '%25').replaceAll('\0', '%00')
  const name = isRefused(segment, rules) ? escapeRefused(escaped, rules) : escaped
  return isCutAtHiddenDot(name, rules) ? name.replaceAll('.', '%2E') : name
}

function markerOf(rules: NameRules): string {
  return isRefused(folderMarker, rules) ? escapeRefused(folderMarker, rules) : folderMarker
}

/** The inverse of `escapeSegment`; undefined for a name that it does not return. */
function unescapeName(name: string, rules: NameRules): string | undefined {
  if (name === markerOf(rules)) return ''
  const special = specialSegments.get(name)
  if (special !== undefined) return special
  if (!name.includes('%')) return undefined
  if (/%(?!25|00)/.test(name) || isRefused(name, rules)) return unescapeRefused(name, rules)
  return name.replace(/%(?:25|00)/g, (escaped) => (escaped === '%25' ? '%' : '\0'))
}

function unescapeRefused(name: string, rules: NameRules): string | undefined {
  if (rules === plainNames || /%(?![0-9A-F]{2})/.test(name)) return undefined
  const segment = unescapeBytes(name)
  return segment !== undefined && escapeSegment(segment, rules) === name ? segment : undefined
}
