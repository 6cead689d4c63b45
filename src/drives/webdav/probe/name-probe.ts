import { DriveError } from '../../drive.ts'
import { maxNameBytes } from '../../long-name.ts'
import type { NameRules } from '../../name-rules.ts'
import type { DavAnswer } from '../client/dav-client.ts'
import { statusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavServer } from '../client/dav-server.ts'

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
/** Tried all in one name; when that does not come back by groups, and then one by one. */
const characterGroups = [
  [...':*"<>|'],
  // A Destination may end at these (RFC 3986 section 3), even where they are escaped in it: wsgidav.
  ['?', ';', '#'],
  ['&', '+', '~', '%'],
  ['\u00a0', '\u2028', '\ufffd', '😀', '\u{10ffff}'],
]
/** Refused so often that it is tried alone: Nextcloud, Windows. */
const backslash = '\\'
/** XML can not hold them (XML 1.0 section 2.2): a server that lists such a name breaks its answer. */
const unlistable = ['\ufffe', '\uffff']
/** Refused together where one of them is: names of devices on Windows. */
const deviceNames = ['con', 'aux', 'nul', 'prn', 'com1', 'lpt1', 'nul.txt']
/** What filters of temporary files take away, such as sabre/dav's: `._b` stands for them. */
const temporaryNames = ['desktop.ini', 'thumbs.db', '.ds_store']
const folderMarker = '.%'
/** What the folder marker becomes where it can't be used (key-path.ts). */
const escapedMarker = '%2E%'
const escapedPercent = 'a%25b'
/** Of Apache's DirectoryIndex in Debian, and of what is usual elsewhere, one is tried. */
const triedIndexName = 'index.html'
const indexNames = [
  ...[triedIndexName, 'index.htm', 'index.php', 'index.cgi', 'index.pl', 'index.xhtml'],
  ...['index.shtml', 'index.txt', 'default.htm', 'default.html', 'index.var', 'index.html.var'],
]

const busyStatuses: ReadonlySet<number> = new Set([423, 425, 429])
/** Of a server that is away, or of a proxy whose server fails at one name. */
const failingStatuses: ReadonlySet<number> = new Set([502, 503, 504])

type List = 'characters' | 'beginnings' | 'endings' | 'names'

/** Something that a name may hold, which the server may not be able to name. */
interface Suspect {
  readonly list: List
  readonly text: string
}

/** A name that shows that all of its suspects can be used. */
interface Trial {
  readonly name: string
  readonly suspects: readonly Suspect[]
}

const suspect = (list: List, text: string): Suspect => ({ list, text })
const beginsAndEnds = (beginning: string, ending: string): Trial => ({
  name: `${beginning}b${ending}`,
  suspects: [suspect('beginnings', beginning), suspect('endings', ending)],
})
const mixedTrialOf = (characters: readonly string[]): Trial => ({
  name: `a${characters.join('a')}${escapedPercent}`,
  suspects: characters.map((character) => suspect('characters', character)),
})
const mixedTrial = mixedTrialOf(characterGroups.flat())
const trials: readonly Trial[] = [
  beginsAndEnds(' ', '~'),
  beginsAndEnds('._', '.swp'),
  ...[
    suspect('characters', backslash),
    suspect('beginnings', '.'),
    suspect('endings', ' '),
    suspect('endings', '.'),
    suspect('endings', '.part'),
    suspect('names', 'con'),
    suspect('names', '.git'),
    suspect('names', folderMarker),
  ].map(trialOf),
]

/** The shortest trial of one suspect. */
function trialOf(one: Suspect): Trial {
  const { list, text } = one
  const names = {
    characters: `a${text}b`,
    beginnings: `${text}b`,
    endings: `b${text}`,
    names: text,
  }
  return { name: names[list], suspects: [one] }
}

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

/**
 * Tries names in a separate folder, which exists and is removed by its owner. Each request
 * lengthens the start: many suspects share a name, and are tested separately only if it fails.
 */
export class NameProbe {
  readonly #server: DavServer
  readonly #folder: DavPath
  readonly #names: DavPath
  /** Names that were put there, and all that were to be. */
  readonly #placed = new Set<string>()
  readonly #tried = new Set<string>()
  #plainNames = 0
  /** Whether the file to be moved is left over from a MOVE that was refused. */
  #hasSource = false

  constructor(server: DavServer, folder: DavPath) {
    this.#server = server
    this.#folder = folder
    this.#names = [...folder, 'names']
  }

  /** @throws DriveError `denied` when the server can't name every key; what keeps it from answering */
  async run(): Promise<NameFindings> {
    await this.#server.makeFolder(this.#names)
    await this.#placeLongest()
    // The two forms of a letter are one name to some servers; which of them they keep tells how.
    const forms = ['thr\u00e9', 'thre\u0301']
    const first = [...trials.map(({ name }) => name), 'case', 'CASE', ...forms]
    await this.#placeAll([mixedTrial.name], { isMoved: true })
    await this.#placeAll([...first, triedIndexName])
    const shown = await this.#lookBesideIndex()
    const isShown = (name: string) => shown.has(name)
    const characters = isShown(mixedTrial.name) ? [] : await this.#refusedCharacters()
    const refused = await this.#refusedOf(trials.filter(({ name }) => !isShown(name)))
    const [composed = false, decomposed = false] = forms.map(isShown)
    return {
      maxNameBytes: longestIn(shown) ?? (await this.#longestOfAll()),
      ...withRelated([...characters, ...refused]),
      indexNames: isShown(triedIndexName) ? [] : indexNames,
      foldsCase: !isShown('case') || !isShown('CASE'),
      composes: composed && !decomposed,
      decomposes: !composed,
    }
  }

  /** What of these trials the server can't name. */
  async #refusedOf(failed: readonly Trial[]): Promise<Suspect[]> {
    const hidesDots = failed.some(({ name }) => name === '.b')
    const single = failed
      .flatMap(({ suspects }) => suspects)
      .filter(({ list, text }) => !(hidesDots && list !== 'endings' && text.startsWith('.')))
      .map(trialOf)
    const needed = failed.some(({ name }) => name === folderMarker) ? [escapedMarker] : []
    const untried = single.map(({ name }) => name).filter((name) => !this.#tried.has(name))
    const again = [...untried, ...needed]
    await this.#placeAll(again)
    const shown = again.length === 0 ? new Set<string>() : await this.#look()
    if (!needed.every((name) => shown.has(name))) {
      throw unfit('can store neither the name .% nor the name %2E%')
    }
    const refused = single.filter(({ name }) => !shown.has(name)).flatMap((one) => one.suspects)
    if (hidesDots) refused.push(suspect('beginnings', '.'))
    return refused
  }

  /** The characters for which the name that holds all of them fails. */
  async #refusedCharacters(): Promise<readonly Suspect[]> {
    const groups = await this.#failing(characterGroups.map(mixedTrialOf))
    const single = await this.#failing(groups.flatMap(({ suspects }) => suspects).map(trialOf))
    // Where each of them works alone, but not together, none is used.
    const refused = (single.length > 0 ? single : groups).flatMap(({ suspects }) => suspects)
    // All that is escaped has one.
    if (refused.some(({ text }) => text === '%'))
      throw unfit('does not accept names that contain %')
    return refused
  }

  /** Those of the trials whose names can't be moved to. */
  async #failing(some: readonly Trial[]): Promise<readonly Trial[]> {
    if (some.length === 0) return []
    await this.#placeAll(
      some.map(({ name }) => name),
      { isMoved: true },
    )
    const shown = await this.#look()
    return some.filter(({ name }) => !shown.has(name))
  }

  /** lighttpd takes longer names from a MOVE than from a PUT. */
  async #placeLongest(): Promise<void> {
    for (const length of lengths) {
      const name = 'n'.repeat(length)
      if (!(await this.#move([...this.#names, name]))) continue
      this.#placed.add(name)
      return
    }
  }

  /** For a server that cuts names without a word. */
  async #longestOfAll(): Promise<number> {
    await this.#placeAll(lengths.map((length) => 'n'.repeat(length)))
    const longest = longestIn(await this.#look())
    if (longest === undefined) throw unfit('accepts only short names')
    return longest
  }

  /** @param isMoved as objects are: for what has to be escaped in a Destination */
  async #placeAll(names: readonly string[], { isMoved = false } = {}): Promise<void> {
    for (const name of names) {
      const path = [...this.#names, name]
      this.#tried.add(name)
      if (await (isMoved ? this.#move(path) : this.#write(path))) this.#placed.add(name)
    }
  }

  /** As `#look`, where an index file may keep the folder from being listed. */
  async #lookBesideIndex(): Promise<ReadonlySet<string>> {
    try {
      return await this.#look()
    } catch (error) {
      if (!(error instanceof DriveError) || error.kind !== 'denied') throw error
      this.#placed.delete(triedIndexName)
      await this.#server.removeFile([...this.#names, triedIndexName])
      return await this.#look()
    }
  }

  /** The names that were put there and that the folder shows. */
  async #look(): Promise<ReadonlySet<string>> {
    try {
      return await this.#shown()
    } catch (error) {
      if (!(error instanceof DriveError) || error.kind === 'denied') throw error
      // A name breaks the answer that it is in: it breaks the answer about itself, too.
      for (const name of [...this.#placed]) {
        const path = [...this.#names, name]
        if ((await this.#orUnusable(() => this.#server.stat(path))) !== undefined) continue
        this.#placed.delete(name)
        await this.#orUnusable(() => this.#server.removeFile(path))
      }
      return await this.#shown()
    }
  }

  async #shown(): Promise<ReadonlySet<string>> {
    const listed = await this.#server.list(this.#names)
    const names = listed?.children.map((child) => child.name) ?? []
    return new Set(names.filter((name) => this.#placed.has(name)))
  }

  async #write(path: DavPath): Promise<boolean> {
    return await this.#isDone('PUT', path, (to) => this.#server.put(to, { body: Buffer.from('x') }))
  }

  async #move(to: DavPath): Promise<boolean> {
    const from = [...this.#folder, 'source']
    return await this.#isDone('MOVE', to, async (target) => {
      if (!this.#hasSource) await this.#write(from)
      this.#hasSource = false
      const options = { overwrite: false }
      const answer = await this.#server.transfer('MOVE', { from, to: target }, options)
      this.#hasSource = answer.status >= 400 && answer.status < 500
      return answer
    })
  }

  /**
   * Whether the server takes the name.
   * @throws DriveError when the server is busy, or fails at a plain name, too: that says nothing
   *   about this one
   */
  async #isDone(
    method: string,
    path: DavPath,
    send: (path: DavPath) => Promise<DavAnswer>,
  ): Promise<boolean> {
    const answer = await this.#orUnusable(() => send(path))
    if (answer === undefined) return false
    const { status } = answer
    if (busyStatuses.has(status)) throw statusError(method, answer)
    if (failingStatuses.has(status)) {
      const plain = [...this.#folder, `plain${++this.#plainNames}`]
      if ((await send(plain)).status >= 300) throw statusError(method, answer)
    }
    return status < 300
  }

  /** Undefined when the server fails for a name. A failure for any name is not a finding. */
  async #orUnusable<Result>(ask: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof DriveError)) throw error
      if ((await this.#server.statFolder(this.#folder)) === undefined) throw error
      return undefined
    }
  }
}

function longestIn(shown: ReadonlySet<string>): number | undefined {
  return lengths.find((length) => shown.has('n'.repeat(length)))
}

/** With what is never tried, and what is refused together. */
function withRelated(refused: readonly Suspect[]): Record<List, readonly string[]> {
  const textsIn = (list: List) => refused.filter((one) => one.list === list).map(({ text }) => text)
  const beginnings = textsIn('beginnings')
  const endings = textsIn('endings')
  const names = textsIn('names')
  return {
    characters: [...textsIn('characters'), ...unlistable],
    beginnings,
    endings: [...endings, ...(endings.includes('.part') ? ['.filepart'] : [])],
    names: [
      // A name of nothing but space: too easily lost on the way.
      ' ',
      ...names.filter((name) => name !== 'con'),
      ...(names.includes('con') ? deviceNames : []),
      ...(beginnings.includes('._') ? temporaryNames : []),
    ],
  }
}

function unfit(what: string): DriveError {
  const message = `The WebDAV server ${what}. Bucketry can't store every key there.`
  return new DriveError('denied', message)
}

function escapeForRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

function escapeForClass(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
