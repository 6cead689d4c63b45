import { setTimeout as sleep } from 'node:timers/promises'
import type { KeyLease, KeyLeases } from '../key-leases.ts'
import type { NameRules } from '../name-rules.ts'
import { asked } from './attribute-store.ts'
import type { DavPath } from './dav-path.ts'
import { type DavPlace, ownerOf, textOf } from './dav-place.ts'
import type { DavRecords } from './dav-records.ts'
import type { DavServer } from './dav-server.ts'
import type { OwnFolder } from './own-folder.ts'

/** How long others may be at work in a folder before it is left alone. */
const patienceMs = 10_000
const pauseMs = 5
/** How often what is in the folders may change meanwhile. */
const attempts = 16
/** Looks at a time into folders in folders. */
const concurrentLooks = 8
/** The folder may have been moved, or will be. */
const doubtfulStatuses: ReadonlySet<number> = new Set([502, 504])
/** Folders of which a name is remembered that was in them. */
const maxRemembered = 10_000

export interface FolderTidierParts {
  readonly server: DavServer
  readonly leases: KeyLeases
  readonly records: DavRecords
  readonly own: OwnFolder
  readonly rules: NameRules
  readonly log: { warn(fields: object, message: string): void }
}

/** What a tidier's lease says, for whoever takes over from it. */
export interface TidyNote {
  readonly folder: DavPath
  /** Where the folder may be. */
  readonly aside: DavPath
}

interface Removal {
  readonly place: DavPlace
  readonly chain: readonly DavPath[]
  readonly aside: DavPath
  readonly lease: KeyLease
}

/** Folders that are empty but for the one before them, innermost first. */
interface Chain {
  readonly paths: readonly DavPath[]
  /** Of the folders, before they were looked into. */
  readonly revisions: readonly number[]
}

/**
 * Removes folders that only keys created, when they are empty. WebDAV removes folders with all that
 * is in them, so an empty one is moved aside first, looked at again, and moved back when somebody
 * has put something into it in between.
 */
export class FolderTidier {
  readonly #parts: FolderTidierParts
  /**
   * For each folder a name that was in it. Where it still is, the folder is not empty: removing ten
   * thousand keys must not list their folder ten thousand times.
   */
  readonly #remembered = new Map<string, string>()

  constructor(parts: FolderTidierParts) {
    this.#parts = parts
  }

  /**
   * Removes the folder and those above it, as far as they are empty and made by keys.
   * @param wanted is removed whoever made it
   */
  async tidy(place: DavPlace, folder: DavPath, wanted?: DavPath): Promise<void> {
    let inner: DavPath = folder
    for (let attempt = 0; attempt < attempts && inner.length > 1; attempt++) {
      const chain = await this.#emptyChain(inner, wanted)
      const outermost = chain.paths.at(-1)
      if (outermost === undefined) return
      // Those further in may be empty still when something came into one further out.
      if ((await this.#removeChain(place, chain)) === 'stays') continue
      await this.#tidyAlternative(place, outermost)
      inner = outermost.slice(0, -1)
    }
  }

  /** The object that gave way to the folder may have left a folder of its own, for a cut name. */
  async #tidyAlternative(place: DavPlace, folder: DavPath): Promise<void> {
    const owner = ownerOf(place, textOf(folder), this.#parts.rules)
    if (owner === undefined || owner.alternative.length === owner.natural.length) return
    await this.tidy(owner, owner.alternative.slice(0, -1))
  }

  /** The folder and those above it that hold nothing else. */
  async #emptyChain(folder: DavPath, wanted: DavPath | undefined): Promise<Chain> {
    const all = Array.from({ length: folder.length - 1 }, (_, index) =>
      folder.slice(0, folder.length - index),
    )
    const texts = all.map(textOf)
    const { revisions } = await this.#parts.leases.look([], texts)
    const own = await asked(this.#parts.records.ownFolders(texts))
    const paths: DavPath[] = []
    const seen: number[] = []
    for (const [index, path] of all.entries()) {
      const mayGo = own.has(texts[index] ?? '') || path.length === wanted?.length
      const state = mayGo ? await this.#stateOf(path, paths.at(-1)) : 'stays'
      if (state === 'stays') break
      if (state === 'absent') continue
      paths.push(path)
      seen.push(revisions[index] ?? 0)
    }
    return { paths, revisions: seen }
  }

  /** `empty`: nothing is in the folder but this inner one. */
  async #stateOf(path: DavPath, inner: DavPath | undefined): Promise<'empty' | 'absent' | 'stays'> {
    const { server } = this.#parts
    const text = textOf(path)
    const innerName = inner?.at(-1)
    const remembered = this.#remembered.get(text)
    if (remembered !== undefined && remembered !== innerName) {
      if ((await server.stat([...path, remembered])) !== undefined) return 'stays'
    }
    const names = await server.someNames(path, 2)
    // A file may be there: what is about folders must not touch it.
    if (names === undefined) return (await server.stat(path)) === undefined ? 'absent' : 'stays'
    const other = names.find((name) => name !== innerName)
    this.#remember(text, other)
    return other === undefined ? 'empty' : 'stays'
  }

  async #removeChain(place: DavPlace, chain: Chain): Promise<'gone' | 'stays'> {
    const { leases } = this.#parts
    const places = chain.paths.map(textOf)
    const giveUpAt = Date.now() + patienceMs
    const aside = this.#parts.own.newAside()
    const note: TidyNote = { folder: chain.paths.at(-1) ?? [], aside }
    const work = async (lease: KeyLease): Promise<'gone' | 'stays' | 'busy'> => {
      // Whoever writes into these folders looks at this lease after taking his own.
      if (await leases.isHeldBelow(places, lease.owner)) return 'busy'
      const { revisions } = await leases.look([], places)
      // Somebody of ours has written there since they were seen to be empty.
      if (revisions.join() !== chain.revisions.join()) return 'stays'
      return await this.#removeHeld({ place, chain: chain.paths, aside, lease })
    }
    for (;;) {
      const outcome = await leases.hold(places, work, { note: JSON.stringify(note) })
      if (outcome !== 'busy') return outcome
      if (Date.now() > giveUpAt) return 'stays'
      await sleep(pauseMs)
    }
  }

  async #removeHeld({ place, chain, aside, lease }: Removal): Promise<'gone' | 'stays'> {
    const { server, records } = this.#parts
    const outermost = chain.at(-1) ?? []
    lease.raise(...[outermost.slice(0, -1), ...chain].map(textOf))
    lease.assertHeld()
    try {
      const answer = await server.moveFolder(outermost, aside)
      // Gone meanwhile, or not to be moved.
      if (answer.status >= 300 && !doubtfulStatuses.has(answer.status)) return 'stays'
      if (!(await this.#isEmptyAside(chain, aside))) {
        await this.#putBack({ folder: outermost, aside })
        return 'stays'
      }
      await server.removeFolder(aside)
    } catch (error) {
      lease.leaveNote()
      throw error
    }
    await asked(records.forgetFolders(chain.map(textOf)))
    await this.#restoreOwner(place, outermost)
    return 'gone'
  }

  /** Puts back what a dead process had moved aside. */
  async recover(note: TidyNote): Promise<void> {
    await this.#putBack(note)
  }

  /** Moves a folder back that is not empty, or what is in it where another has taken its place. */
  async #putBack({ folder, aside }: TidyNote): Promise<void> {
    const { server, log } = this.#parts
    if ((await server.statFolder(aside)) === undefined) return
    const answer = await server.moveFolder(aside, folder)
    if (answer.status < 300) return
    const found = await server.list(aside)
    for (const { name, isFolder } of found?.children ?? []) {
      const [from, to] = [
        [...aside, name],
        [...folder, name],
      ]
      if (isFolder) await server.moveFolder(from, to)
      else await server.transfer('MOVE', { from, to }, { overwrite: false })
    }
    const left = await server.someNames(aside, 1)
    if (left?.length === 0) await server.removeFolder(aside)
    else log.warn({ folder, aside }, 'files stay aside: others of their names are in their folder')
  }

  /** Whether nobody has put anything into the folders before they were moved. */
  async #isEmptyAside(chain: readonly DavPath[], aside: DavPath): Promise<boolean> {
    const depth = chain.at(-1)?.length ?? 0
    for (let start = 0; start < chain.length; start += concurrentLooks) {
      const looks = chain.slice(start, start + concurrentLooks).map(async (path, index) => {
        const innerName = chain[start + index - 1]?.at(-1)
        const names = await this.#parts.server.someNames([...aside, ...path.slice(depth)], 2)
        return names?.every((name) => name === innerName) === true
      })
      if (!(await Promise.all(looks)).every(Boolean)) return false
    }
    return true
  }

  /** The object that gave way to the folder takes its natural path again. */
  async #restoreOwner(place: DavPlace, folder: DavPath): Promise<void> {
    const owner = ownerOf(place, textOf(folder), this.#parts.rules)
    if (owner === undefined) return
    const paths = { from: owner.alternative, to: owner.natural }
    await this.#parts.server.transfer('MOVE', paths, { overwrite: false })
  }

  #remember(folder: string, name: string | undefined): void {
    this.#remembered.delete(folder)
    if (name === undefined) return
    this.#remembered.set(folder, name)
    const [oldest] = this.#remembered.keys()
    if (this.#remembered.size > maxRemembered && oldest !== undefined) {
      this.#remembered.delete(oldest)
    }
  }
}
