import { setTimeout as sleep } from 'node:timers/promises'
import { DriveError } from '../../drive.ts'
import type { KeyLease } from '../../key-leases.ts'
import { hidesDots } from '../../name-rules.ts'
import { statusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavContext } from '../dav-context.ts'
import { asked } from './attribute-store.ts'
import type { FolderMaker } from './folder-maker.ts'
import { type DavPlace, davPlaceOf, ownerOf, textOf } from './object-path.ts'
import { placesOfNote, type TidyNote } from './recovery-record.ts'

/** How long others may be at work in a folder before it is left alone. */
const patienceMs = 10_000
const pauseMs = 5
/** How often the content of the folders may change meanwhile. */
const attempts = 16
/** Looks at a time into folders in folders. */
const concurrentLooks = 8
/** The folder may have been moved, or will be. */
const doubtfulStatuses: ReadonlySet<number> = new Set([502, 504])
/** Folders for which a child's name is remembered. */
const maxRemembered = 10_000

export interface FolderTidierParts extends DavContext {
  readonly folders: FolderMaker
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
  /** Of the folders, before they were read. */
  readonly revisions: readonly number[]
}

/**
 * Removes folders that only keys created, when they are empty. WebDAV removes folders with their
 * content, so an empty one is moved aside first, checked again, and moved back if something was put
 * into it in between.
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
   * @param wanted is removed regardless of its creator
   */
  async tidy(place: DavPlace, folder: DavPath, wanted?: DavPath): Promise<void> {
    // A folder that looks empty may hold files that were added by hand and that the server hides.
    if (hidesDots(this.#parts.rules)) return
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
    const giveUpAt = performance.now() + patienceMs
    const aside = this.#parts.own.newAside()
    const [innermost = [], outermost = []] = [chain.paths[0], chain.paths.at(-1)]
    const inner = innermost.slice(outermost.length)
    const note: TidyNote = { key: place.key, folder: outermost, inner, aside }
    const work = async (lease: KeyLease): Promise<'gone' | 'stays' | 'busy'> => {
      // A writer into these folders checks this lease after taking its own.
      if (await leases.isHeldBelow(places, lease.owner)) return 'busy'
      const { revisions } = await leases.look([], places)
      // Somebody of ours has written there since they were seen to be empty.
      if (revisions.join() !== chain.revisions.join()) return 'stays'
      return await this.#removeHeld({ place, chain: chain.paths, aside, lease })
    }
    for (;;) {
      const outcome = await leases.hold(places, work, { note: JSON.stringify(note) })
      if (outcome !== 'busy') return outcome
      if (performance.now() > giveUpAt || !(await this.#finishDead(places))) return 'stays'
      await sleep(pauseMs)
    }
  }

  /** Has finished what dead processes began directly in these folders; false when that is not to be. */
  async #finishDead(places: readonly string[]): Promise<boolean> {
    const { leases, rules } = this.#parts
    try {
      for (const lease of await leases.heldBelow(places)) {
        if (!leases.isLive(lease)) await leases.recoverEnded(placesOfNote(lease.note, rules))
      }
      return true
    } catch (error) {
      // The object is gone that was to be removed: that others' can't be put back is not told here.
      if (error instanceof DriveError) return false
      throw error
    }
  }

  async #removeHeld({ place, chain, aside, lease }: Removal): Promise<'gone' | 'stays'> {
    const { server, records } = this.#parts
    const outermost = chain.at(-1) ?? []
    lease.bumpRevision(...[outermost.slice(0, -1), ...chain].map(textOf))
    const guarded = { beforeAttempt: () => lease.assertHeld() }
    try {
      const answer = await server.moveFolder(outermost, aside, guarded)
      // Deleted meanwhile, or can't be moved.
      if (answer.status >= 300 && !doubtfulStatuses.has(answer.status)) return 'stays'
      if (!(await this.#isEmptyAside(chain, aside))) {
        await this.#putBack({ key: place.key, folder: outermost, aside }, lease)
        return 'stays'
      }
      await server.removeFolder(aside)
    } catch (error) {
      lease.leaveNote()
      throw error
    }
    await asked(records.forgetFolders(chain.map(textOf)))
    await this.#restoreOwner(place, outermost, lease)
    return 'gone'
  }

  /**
   * Puts back what a dead process had moved aside.
   * @throws what keeps it from that; the note has to stay then
   */
  async recover(note: TidyNote, lease: KeyLease): Promise<void> {
    await this.#putBack(note, lease)
  }

  /** Moves a folder back that is not empty, or what is in it where another has taken its place. */
  async #putBack({ key, folder, aside }: Omit<TidyNote, 'inner'>, lease: KeyLease): Promise<void> {
    const { server, folders, rules, log } = this.#parts
    if ((await server.statFolder(aside)) === undefined) return
    const [bucket = ''] = folder
    lease.bumpRevision(textOf(folder.slice(0, -1)), textOf(folder))
    const outer = folder.slice(0, -1)
    // The process that removed the last other key above it found the folders there empty.
    if ((await server.statFolder(outer)) === undefined) {
      await folders.ensure(davPlaceOf(bucket, key, rules), outer)
    }
    if (await this.#merge(aside, folder, lease)) return
    log.warn(
      { folder, aside },
      'files were not moved back: their folder has files with the same names',
    )
  }

  /** Whether all of it is there now; for what stays, something else is in the way. */
  async #merge(from: DavPath, to: DavPath, lease: KeyLease): Promise<boolean> {
    const { server } = this.#parts
    const answer = await server.moveFolder(from, to, { beforeAttempt: () => lease.assertHeld() })
    if (answer.status === 201 || answer.status === 204) return true
    const isInDoubt = doubtfulStatuses.has(answer.status)
    if (isInDoubt || (await server.stat(to)) === undefined) throw statusError('MOVE', answer)
    for (const { name, isFolder } of (await server.list(from))?.children ?? []) {
      const [inner, target] = [
        [...from, name],
        [...to, name],
      ]
      if (isFolder) await this.#merge(inner, target, lease)
      else await this.#moveBack(inner, target, lease)
    }
    const left = await server.someNames(from, 1)
    if (left?.length === 0) await server.removeFolder(from)
    return left === undefined || left.length === 0
  }

  async #moveBack(from: DavPath, to: DavPath, lease: KeyLease): Promise<void> {
    const { server } = this.#parts
    const options = { overwrite: false, beforeAttempt: () => lease.assertHeld() }
    const answer = await server.transfer('MOVE', { from, to }, options)
    const isRefused = answer.status >= 300
    if (isRefused && (await server.stat(to)) === undefined) throw statusError('MOVE', answer)
  }

  /** Whether nothing was put into the folders before they were moved. */
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
  async #restoreOwner(place: DavPlace, folder: DavPath, lease: KeyLease): Promise<void> {
    const owner = ownerOf(place, textOf(folder), this.#parts.rules)
    if (owner === undefined) return
    const paths = { from: owner.alternative, to: owner.natural }
    const options = { overwrite: false, beforeAttempt: () => lease.assertHeld() }
    await this.#parts.server.transfer('MOVE', paths, options)
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
