import { maxNameBytes } from './long-name.ts'

/**
 * What a drive does not allow in names, in addition to the limits of every file system: characters that it rejects or
 * changes, and names that it reserves. The rules determine where files are, so a drive that has files must keep its rules.
 */
export interface NameRules {
  /** The maximum length of a name in UTF-8 bytes. */
  readonly maxNameBytes: number
  /** Characters that are escaped anywhere in a name. */
  readonly characters: RegExp | undefined
  /** Names whose first character is escaped. */
  readonly beginnings: RegExp | undefined
  /** Names whose last character is escaped. */
  readonly endings: RegExp | undefined
  /** The drive converts names to NFC. In other names, all characters beyond ASCII are escaped. */
  readonly composes: boolean
}

/** The rules of a local file system. */
export const plainNames: NameRules = {
  maxNameBytes,
  characters: undefined,
  beginnings: undefined,
  endings: undefined,
  composes: false,
}

const beyondAscii = /[^\0-\u007f]/u

export function isRefused(segment: string, rules: NameRules): boolean {
  const { characters, beginnings, endings } = rules
  if (isComposedElse(segment, rules) || isCutAtHiddenDot(segment, rules)) return true
  return [characters, beginnings, endings].some((refused) => refused?.test(segment))
}

/**
 * Escapes refused characters as `%` and two upper-case hex digits for each byte of UTF-8. The
 * segment's own `%` must already be escaped.
 */
export function escapeRefused(segment: string, rules: NameRules): string {
  const characters = Array.from(segment)
  // Including those next to an escape: a letter of `%3A` would be composed with a mark that follows it.
  const refused = [rules.characters, rules.composes ? beyondAscii : undefined]
  const first = rules.beginnings?.test(segment) === true ? 0 : -1
  const last = rules.endings?.test(segment) === true ? characters.length - 1 : -1
  return characters
    .map((character, index) => {
      const isRefusedHere = index === first || index === last
      const isEscaped = isRefusedHere || refused.some((one) => one?.test(character))
      return isEscaped ? hexOf(character) : character
    })
    .join('')
}

/** Whether names that begin with a dot can't be used: the drive does not list them. */
export function hidesDots({ beginnings }: NameRules): boolean {
  return beginnings?.test('.b') === true
}

/** Appended to the name of an object whose natural name belongs to a folder. */
export function alternativeSuffixOf(rules: NameRules): string {
  return hidesDots(rules) ? '%2E%file' : '.%file'
}

/**
 * Whether a name, or its alternative, may be cut before a `.` (long-name.ts) on a drive that hides names that begin with a
 * dot. All dots of such a name are escaped.
 */
export function isCutAtHiddenDot(name: string, rules: NameRules): boolean {
  if (!hidesDots(rules) || !name.includes('.')) return false
  return Buffer.byteLength(name) > rules.maxNameBytes - alternativeSuffixOf(rules).length
}

function isComposedElse(segment: string, { composes }: NameRules): boolean {
  return composes && segment.normalize('NFC') !== segment
}

/** Decodes all escaped bytes; undefined if the result is not valid UTF-8. */
export function unescapeBytes(name: string): string | undefined {
  let isText = true
  const text = name.replace(/(?:%[0-9A-F]{2})+/g, (run) => {
    const bytes = Buffer.from(run.replaceAll('%', ''), 'hex')
    const decoded = bytes.toString()
    if (!Buffer.from(decoded).equals(bytes)) isText = false
    return decoded
  })
  return isText ? text : undefined
}

function hexOf(character: string): string {
  return Array.from(Buffer.from(character), (byte) => {
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')
}
