import { DriveError } from '../../drive-error.ts'
import { maxNameBytes } from '../../kit/names/long-name.ts'
import type { DavAnswer } from '../client/dav-client.ts'
import { StatusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavServer } from '../client/dav-server.ts'
import {
  characterGroups,
  escapedMarker,
  folderMarker,
  indexNames,
  mixedTrial,
  mixedTrialOf,
  type Suspect,
  suspect,
  type Trial,
  trialOf,
  trials,
  triedIndexName,
  withRelated,
} from './name-trials.ts'

const lengths = [maxNameBytes, 250, 240, 200, 143, 100]
const busyStatuses: ReadonlySet<number> = new Set([423, 425, 429])
/** Statuses of an unavailable server, or of a proxy whose server fails for one name. */
const failingStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/**
 * What a server cannot name. The paths of keys depend on it, so it is determined once and stored on the
 * drive (own-folder.ts, `namesFile`).
 */
export interface NameFindings {
  readonly maxNameBytes: number
  /** Characters that the server does not return as they were sent. */
  readonly characters: readonly string[]
  readonly beginnings: readonly string[]
  readonly endings: readonly string[]
  readonly names: readonly string[]
  /** Names of index files that prevent the listing of their folder. */
  readonly indexNames: readonly string[]
  /** Whether `A` is the same file as `a`. */
  readonly foldsCase: boolean
  /** Whether decomposed letters are returned composed, or are the same as composed ones. */
  readonly composes: boolean
  /** Whether composed letters are returned decomposed. */
  readonly decomposes: boolean
}

/**
 * Tries names in a separate folder, which the caller creates and removes. Each request delays the start,
 * so many suspects share a name and are tried separately only if it fails.
 */
export class NameProbe {
  readonly #server: DavServer
  readonly #folder: DavPath
  readonly #names: DavPath
  /** Names that were stored, and all that were tried. */
  readonly #placed = new Set<string>()
  readonly #tried = new Set<string>()
  #plainNames = 0
  /** Whether the source of a refused MOVE still exists. */
  #hasSource = false

  constructor(server: DavServer, folder: DavPath) {
    this.#server = server
    this.#folder = folder
    this.#names = [...folder, 'names']
  }

  /** @throws DriveError `denied` when the server cannot name every key; errors of the server */
  async run(): Promise<NameFindings> {
    await this.#server.makeFolder(this.#names)
    await this.#placeLongest()
    // Some servers treat both forms of a letter as one name and list one of them.
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

  /** The suspects of these trials that the server refuses. */
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

  /** The characters that made the name with all of them fail. */
  async #refusedCharacters(): Promise<readonly Suspect[]> {
    const groups = await this.#failing(characterGroups.map(mixedTrialOf))
    const single = await this.#failing(groups.flatMap(({ suspects }) => suspects).map(trialOf))
    // If they work alone but not together, none is used.
    const refused = (single.length > 0 ? single : groups).flatMap(({ suspects }) => suspects)
    // Every escaped name contains one.
    if (refused.some(({ text }) => text === '%'))
      throw unfit('does not accept names that contain %')
    return refused
  }

  /** The trials to whose names a file cannot be moved. */
  async #failing(some: readonly Trial[]): Promise<readonly Trial[]> {
    if (some.length === 0) return []
    await this.#placeAll(
      some.map(({ name }) => name),
      { isMoved: true },
    )
    const shown = await this.#look()
    return some.filter(({ name }) => !shown.has(name))
  }

  /** With MOVE, for which lighttpd accepts longer names than for PUT. */
  async #placeLongest(): Promise<void> {
    for (const length of lengths) {
      const name = 'n'.repeat(length)
      if (!(await this.#move([...this.#names, name]))) continue
      this.#placed.add(name)
      return
    }
  }

  /** For a server that truncates names without an error. */
  async #longestOfAll(): Promise<number> {
    await this.#placeAll(lengths.map((length) => 'n'.repeat(length)))
    const longest = longestIn(await this.#look())
    if (longest === undefined) throw unfit('accepts only short names')
    return longest
  }

  /** @param isMoved whether to move files to the names, as for objects, to test the Destination */
  async #placeAll(names: readonly string[], { isMoved = false } = {}): Promise<void> {
    for (const name of names) {
      const path = [...this.#names, name]
      this.#tried.add(name)
      if (await (isMoved ? this.#move(path) : this.#write(path))) this.#placed.add(name)
    }
  }

  /** As `#look`; removes the index file if it keeps the folder from being listed. */
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

  /** The stored names that the folder lists. */
  async #look(): Promise<ReadonlySet<string>> {
    try {
      return await this.#shown()
    } catch (error) {
      if (!(error instanceof DriveError) || error.kind === 'denied') throw error
      // A name that breaks the listing also breaks the answer about itself.
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
   * Whether the server accepts the name.
   * @throws DriveError when the server is busy, or also fails for a plain name
   */
  async #isDone(
    method: string,
    path: DavPath,
    send: (path: DavPath) => Promise<DavAnswer>,
  ): Promise<boolean> {
    const answer = await this.#orUnusable(() => send(path))
    if (answer === undefined) return false
    const { status } = answer
    if (busyStatuses.has(status)) throw new StatusError(method, answer)
    if (failingStatuses.has(status)) {
      const plain = [...this.#folder, `plain${++this.#plainNames}`]
      if ((await send(plain)).status >= 300) throw new StatusError(method, answer)
    }
    return status < 300
  }

  /** Undefined when the server fails for a name. @throws the error if the folder is gone as well */
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

function unfit(what: string): DriveError {
  const message = `The WebDAV server ${what}. Bucketry can't store every key there.`
  return new DriveError('denied', message)
}
