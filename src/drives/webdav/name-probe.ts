import { DriveError } from '../drive.ts'
import { maxNameBytes } from '../long-name.ts'
import type { NameRules } from '../name-rules.ts'
import { statusError } from './dav-error.ts'
import type { DavPath } from './dav-path.ts'
import type { DavServer } from './dav-server.ts'

/**
 * What a server can't name, found by trying. Where keys lie depends on it, so it is found out once
 * and kept in a file on the drive (own-folder.ts, `namesFile`).
 */
export interface NameFindings {
  readonly maxNameBytes: number
  /** Characters that don't come back as they were sent. */
  readonly characters: readonly string[]
  /** Beginnings and endings of names that don't. */
  readonly beginnings: readonly string[]
  readonly endings: readonly string[]
  /** Whole names that don't. */
  readonly names: readonly string[]
  /** Names of files that keep the folder they are in from being listed. */
  readonly indexNames: readonly string[]
  /** `A` is the file `a`. */
  readonly foldsCase: boolean
  /** Decomposed letters come back composed, or are the same as the composed ones. */
  readonly composes: boolean
  /** Composed ones come back decomposed. */
  readonly decomposes: boolean
}

const lengths = [maxNameBytes, 250, 240, 200, 143, 100]
const characters = [
  ...'\\:*?"<>|;#&+~%',
  '\u00a0',
  '\u2028',
  '\ufffd',
  '\uffff',
  '😀',
  '\u{10ffff}',
]
const beginnings = [' ', '._', '~$', '.nfs']
const endings = [' ', '.', '~', '.part', '.filepart', '.tmp', '.swp', '.lnk']
/** What means something to some system, and a name of nothing but space. */
const names = [
  ...[' ', '\u00a0', '~', '-', '#', 'con', 'aux', 'nul', 'prn', 'com1', 'lpt1', 'nul.txt'],
  ...['desktop.ini', 'thumbs.db', '.ds_store', '.git', '.well-known', 'lost+found'],
]
/** Apache's DirectoryIndex in Debian, and what is usual elsewhere. */
const indexNames = [
  ...['index.html', 'index.htm', 'index.php', 'index.cgi', 'index.pl', 'index.xhtml'],
  ...['index.shtml', 'index.txt', 'default.htm', 'default.html', 'index.var', 'index.html.var'],
]

/**
 * Never tried, always escaped: servers take them for text that ends (control characters: lighttpd
 * writes `_` for each, so that two keys would be one file), or read them as their own settings.
 */
const neverCharacters = '\u0001-\u001f\u007f'
const neverBeginnings = ['\\.ht', '\\.user\\.ini$', '\\.dav$', '\\.davfs\\.tmp']

/**
 * What some letter is folded with, of which one stays as it is: capitals, what Unicode's full folding
 * changes (ς, ſ, µ, ß; CaseFolding.txt), and small letters that share a capital with another one.
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
    // Where one space is nothing, more are nothing too.
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

/** Tries names in a folder of its own, which is there and which its owner removes. */
export class NameProbe {
  readonly #server: DavServer
  readonly #folder: DavPath

  constructor(server: DavServer, folder: DavPath) {
    this.#server = server
    this.#folder = folder
  }

  async run(): Promise<NameFindings> {
    const tried = [
      ...characters.map((character) => `a${character}b`),
      ...beginnings.map((beginning) => `${beginning}b`),
      ...endings.map((ending) => `b${ending}`),
      // The two forms are tried with different names, to see what comes back, and with the same one.
      ...['case', 'CASE', 'one\u0301', 'tw\u00e9', 'thr\u00e9', 'thre\u0301', '%25'],
      ...lengths.map((length) => 'n'.repeat(length)),
      ...names,
    ]
    const works = await this.#namesThatWork(tried)
    const whole = lengths.find((length) => works.has('n'.repeat(length)))
    if (whole === undefined || !works.has('%25')) {
      const message = 'The WebDAV server takes only short names, or none with a % in them.'
      throw new DriveError('denied', `${message} Stowage can't keep every key there.`)
    }
    const isRefused = (name: string) => !works.has(name)
    return {
      maxNameBytes: whole,
      characters: characters.filter((character) => isRefused(`a${character}b`)),
      beginnings: beginnings.filter((beginning) => isRefused(`${beginning}b`)),
      endings: endings.filter((ending) => isRefused(`b${ending}`)),
      names: names.filter(isRefused),
      indexNames: await this.#indexNames(),
      foldsCase: isRefused('case') || isRefused('CASE'),
      composes: isRefused('one\u0301') || (works.has('thr\u00e9') && isRefused('thre\u0301')),
      decomposes: isRefused('tw\u00e9'),
    }
  }

  /** Those that can be moved to and looked at, and that the folder then shows. */
  async #namesThatWork(names: readonly string[]): Promise<ReadonlySet<string>> {
    const folder = [...this.#folder, 'names']
    await this.#server.makeFolder(folder)
    const seen = new Set<string>()
    for (const name of names) {
      if (await this.#place([...folder, name])) seen.add(name)
    }
    const shown = new Set((await this.#server.list(folder))?.children.map((child) => child.name))
    return new Set([...seen].filter((name) => shown.has(name)))
  }

  async #indexNames(): Promise<string[]> {
    const hiding: string[] = []
    for (const name of indexNames) {
      const folder = [...this.#folder, `with ${name}`]
      await this.#server.makeFolder(folder)
      const isThere = await this.#place([...folder, name])
      if (!isThere || !(await this.#isListed(folder, name))) hiding.push(name)
    }
    return hiding
  }

  async #isListed(folder: DavPath, name: string): Promise<boolean> {
    try {
      const listed = await this.#server.list(folder)
      return listed?.children.some((child) => child.name === name) === true
    } catch (error) {
      if (error instanceof DriveError && error.kind === 'denied') return false
      throw error
    }
  }

  /** Puts a file there as objects get to their places: written elsewhere and moved. */
  async #place(path: DavPath): Promise<boolean> {
    const from = [...this.#folder, 'source']
    const answer = await this.#server.put(from, { body: Buffer.from('x') })
    if (answer.status >= 300) throw statusError('PUT', answer)
    try {
      const moved = await this.#server.transfer('MOVE', { from, to: path }, { overwrite: false })
      if (moved.status !== 201 && moved.status !== 204) return false
      return (await this.#server.stat(path))?.isFolder === false
    } catch (error) {
      if (error instanceof DriveError && error.kind !== 'unavailable') return false
      throw error
    }
  }
}

function escapeForRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

function escapeForClass(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
