import type { NameRules } from '../../kit/names/name-rules.ts'

/**
 * What a server cannot name, found by trying. The paths of keys depend on it, so it is determined once
 * and kept in a file on the drive (own-folder.ts, `namesFile`).
 */
export interface NameFindings {
  readonly maxNameBytes: number
  /** Characters that the server does not return as they were sent. */
  readonly characters: readonly string[]
  /** Such beginnings and endings of names. */
  readonly beginnings: readonly string[]
  readonly endings: readonly string[]
  /** Such names. */
  readonly names: readonly string[]
  /** Names of files that keep their folder from being listed. */
  readonly indexNames: readonly string[]
  /** Whether `A` is the same file as `a`. */
  readonly foldsCase: boolean
  /** Whether decomposed letters are returned composed, or are the same as composed ones. */
  readonly composes: boolean
  /** Whether composed letters are returned decomposed. */
  readonly decomposes: boolean
}

/**
 * Always escaped, and never tried. Servers mistreat control characters (lighttpd replaces each by `_`,
 * so that two keys would be one file), and read these names as their own settings.
 */
const neverCharacters = '\u0001-\u001f\u007f'
const neverBeginnings = ['\\.ht', '\\.user\\.ini$', '\\.dav$', '\\.davfs\\.tmp']

/**
 * Characters that fold to others: capitals, what Unicode's full folding changes (ς, ſ, µ, ß;
 * CaseFolding.txt), and small letters that share a capital with another one.
 */
const foldedCharacters = ['\\p{Lu}', '\\p{Lt}', '\\p{CWCF}', '\\u0131\\u1fbe\\u1fd3\\u1fe3']

/** The rules that follow from the findings. */
export function rulesFrom(findings: NameFindings): NameRules {
  const { characters, beginnings, endings, names, indexNames } = findings
  const classes = [neverCharacters, ...characters.map(escapeForClass)]
  if (findings.foldsCase) classes.push(...foldedCharacters)
  if (findings.decomposes) classes.push('\\u0080-\\u{10ffff}')
  const starts = [
    ...neverBeginnings,
    ...beginnings.map(escapeForRegex),
    ...[...names, ...indexNames].map((name) => `${escapeForRegex(name)}$`),
    // If the server loses one space, it loses more as well.
    ...(names.includes(' ') ? ['\\s+$'] : []),
  ]
  return {
    maxNameBytes: findings.maxNameBytes,
    composes: findings.composes,
    characters: new RegExp(`[${classes.join('')}]`, 'u'),
    beginnings: new RegExp(`^(?:${starts.join('|')})`, 'iu'),
    endings:
      endings.length === 0
        ? undefined
        : new RegExp(`(?:${endings.map(escapeForRegex).join('|')})$`, 'iu'),
  }
}

function escapeForRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

function escapeForClass(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
