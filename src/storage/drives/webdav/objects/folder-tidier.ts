import { setTimeout as sleep } from 'node:timers/promises'
import { SizedCache } from '../../../../platform/process/sized-cache.ts'
import { DriveError, notEmpty } from '../../drive-error.ts'
import type { KeyLease } from '../../kit/key-leases.ts'
import { hidesDots } from '../../kit/names/name-rules.ts'
import { StatusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavContext } from '../dav-context.ts'
import type { DavFolderMaker } from './dav-folder-maker.ts'
import { bucketFolder, type DavObjectPath, davPathOf, ownerOf, textOf } from './object-path.ts'
import { leaseKeysOf, type TidyRecord } from './recovery-record.ts'

/** How long to wait for writers in a folder before it is kept. */
const patienceMs = 10_000
const pauseMs = 5
/** Attempts while other clients change the folders. */
const attempts = 16
/** Concurrent checks of nested folders. */
const concurrentLooks = 8
/** The folder may have been moved, or will be. */
const doubtfulStatuses: ReadonlySet<number> = new Set([502, 504])
/** Folders for which the name of a child is cached. */
const maxCachedNames = 10_000

export interface FolderTidierParts extends DavContext {
  readonly folders: DavFolderMaker
}

interface Removal {
  /** The object whose removal left the folders empty; undefined for a bucket's folder. */
  readonly object: DavObjectPath | undefined
  readonly chain: readonly DavPath[]
  readonly aside: DavPath
  readonly lease: KeyLease
}

/** Nested folders, innermost first; each is empty except for the one before it. */
interface Chain {
  readonly paths: readonly DavPath[]
  /** The revisions of the folders before they were read. */
  readonly revisions: readonly number[]
}

/**
 * Removes empty folders that were created for keys. WebDAV removes folders with their content, so a
 * folder is first moved aside and checked again, and moved back if something was added meanwhile.
 */
export class FolderTidier {
  readonly #parts: FolderTidierParts
  /** One child of each folder: while it exists, the folder is not empty and need not be listed. */
  readonly #cachedNames = new SizedCache<string>(maxCachedNames)

  constructor(parts: FolderTidierParts) {
    this.#parts = parts
  }

  /**
   * Removes the folder and those above it that are empty and were created for keys.
   * @param wanted a folder to remove regardless of its creator
   */
  async tidy(object: DavObjectPath, folder: DavPath, wanted?: DavPath): Promise<void> {
    // A folder that seems empty may contain files that the server hides.
    if (hidesDots(this.#parts.rules)) return
    const depth = bucketFolder(object.bucket).length
    let inner: DavPath = folder
    for (let attempt = 0; attempt < attempts && inner.length > depth; attempt++) {
      const chain = await this.#emptyChain(inner, { depth, wanted })
      const outermost = chain.paths.at(-1)
      if (outermost === undefined) return
      // If something was added to an outer folder, the inner ones may still be empty.
      if ((await this.#removeChain(object, chain)) === 'stays') continue
      await this.#tidyAlternative(object, outermost)
      inner = outermost.slice(0, -1)
    }
  }

  /** As Drive.removeBucket. */
  async removeBucket(bucket: string): Promise<boolean> {
    const { leases, rules } = this.#parts
    if (hidesDots(rules)) {
      const message = 'This WebDAV server hides files whose names begin with a dot'
      throw new DriveError('denied', `${message}: remove the folder ${bucket} by hand.`)
    }
    await leases.recoverEnded([bucket])
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { revisions } = await leases.look([], [bucket])
      const path = bucketFolder(bucket)
      const state = await this.#stateOf(path, undefined)
      if (state === 'absent') return false
      if (state === 'stays') throw notEmpty(bucket)
      const chain = { paths: [path], revisions }
      if ((await this.#removeChain(undefined, chain)) === 'gone') return true
    }
    const message = `The folder of bucket ${bucket} can't be moved, or is being written to.`
    throw new DriveError('busy', `${message} Try again.`)
  }

  /** Tidies the folders of the cut name of an object that was displaced by the folder. */
  async #tidyAlternative(object: DavObjectPath, folder: DavPath): Promise<void> {
    const owner = ownerOf(object, textOf(folder), this.#parts.rules)
    if (owner === undefined || owner.alternative.length === owner.natural.length) return
    await this.tidy(owner, owner.alternative.slice(0, -1))
  }

  /**
   * The folder and those above it that contain nothing else.
   * @param depth the length of the path of the bucket's folder
   */
  async #emptyChain(
    folder: DavPath,
    { depth, wanted }: { readonly depth: number; readonly wanted: DavPath | undefined },
  ): Promise<Chain> {
    const all = Array.from({ length: folder.length - depth }, (_, index) =>
      folder.slice(0, folder.length - index),
    )
    const texts = all.map(textOf)
    const { revisions } = await this.#parts.leases.look([], texts)
    const own = await this.#parts.records.ownFolders(texts)
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

  /** `empty`: the folder contains at most this inner one. */
  async #stateOf(path: DavPath, inner: DavPath | undefined): Promise<'empty' | 'absent' | 'stays'> {
    const { server } = this.#parts
    const text = textOf(path)
    const innerName = inner?.at(-1)
    const cached = this.#cachedNames.get(text)
    if (cached !== undefined && cached !== innerName) {
      if ((await server.stat([...path, cached])) !== undefined) return 'stays'
    }
    const names = await server.someNames(path, 2)
    // It may be a file, which must not be removed as a folder.
    if (names === undefined) return (await server.stat(path)) === undefined ? 'absent' : 'stays'
    const other = names.find((name) => name !== innerName)
    if (other === undefined) this.#cachedNames.delete(text)
    else this.#cachedNames.set(text, other)
    return other === undefined ? 'empty' : 'stays'
  }

  async #removeChain(object: DavObjectPath | undefined, chain: Chain): Promise<'gone' | 'stays'> {
    const { leases } = this.#parts
    const keys = chain.paths.map(textOf)
    const giveUpAt = performance.now() + patienceMs
    const aside = this.#parts.own.newAside()
    const [innermost = [], outermost = []] = [chain.paths[0], chain.paths.at(-1)]
    const inner = innermost.slice(outermost.length)
    const record: TidyRecord = { ...nameIn(object), folder: outermost, inner, aside }
    const work = async (lease: KeyLease): Promise<'gone' | 'stays' | 'busy'> => {
      // A writer into these folders checks this lease after taking its own.
      if (await leases.isHeldBelow(keys, lease.owner)) return 'busy'
      const { revisions } = await leases.look([], keys)
      // One of our processes wrote to these folders after they were found empty.
      if (revisions.join() !== chain.revisions.join()) return 'stays'
      return await this.#removeUnderLease({ object, chain: chain.paths, aside, lease })
    }
    for (;;) {
      const outcome = await leases.hold(keys, work, { note: JSON.stringify(record) })
      if (outcome !== 'busy') return outcome
      if (performance.now() > giveUpAt || !(await this.#recoverBelow(keys))) return 'stays'
      await sleep(pauseMs)
    }
  }

  /** Recovers interrupted work directly in these folders; false when that fails. */
  async #recoverBelow(keys: readonly string[]): Promise<boolean> {
    const { leases, rules } = this.#parts
    try {
      for (const lease of await leases.heldBelow(keys)) {
        if (!leases.isLive(lease)) await leases.recoverEnded(leaseKeysOf(lease.note, rules))
      }
      return true
    } catch (error) {
      // The requested removal succeeded, so a failed recovery of other objects is not reported.
      if (error instanceof DriveError) return false
      throw error
    }
  }

  async #removeUnderLease({ object, chain, aside, lease }: Removal): Promise<'gone' | 'stays'> {
    const { server, records } = this.#parts
    const outermost = chain.at(-1) ?? []
    lease.bumpRevision(...[outermost.slice(0, -1), ...chain].map(textOf))
    const guarded = { beforeAttempt: () => lease.assertHeld() }
    try {
      const answer = await server.moveFolder(outermost, aside, guarded)
      if (answer.status >= 300 && !doubtfulStatuses.has(answer.status)) return 'stays'
      if (!(await this.#isEmptyAside(chain, aside))) {
        await this.putBack({ ...nameIn(object), folder: outermost, aside }, lease)
        return 'stays'
      }
      await server.removeFolder(aside)
    } catch (error) {
      lease.leaveNote()
      throw error
    }
    await records.forgetFolders(chain.map(textOf))
    if (object !== undefined) await this.#restoreOwner(object, outermost, lease)
    return 'gone'
  }

  /**
   * Moves a folder back that is not empty, or its content if the folder was created again.
   * @throws if that fails; the recovery record must be kept then
   */
  async putBack(record: Omit<TidyRecord, 'inner'>, lease: KeyLease): Promise<void> {
    const { server, folders, rules, log } = this.#parts
    const { key, folder, aside, bucket = folder[0] ?? '' } = record
    if ((await server.statFolder(aside)) === undefined) return
    lease.bumpRevision(textOf(folder.slice(0, -1)), textOf(folder))
    const outer = folder.slice(0, -1)
    // Another process may have removed the outer folders, which it found empty.
    if (key !== '' && (await server.statFolder(outer)) === undefined) {
      await folders.ensure(davPathOf(bucket, key, rules), outer)
    }
    if (await this.#merge(aside, folder, lease)) return
    log.warn(
      { folder, aside },
      'files were not moved back: their folder has files with the same names',
    )
  }

  /** Whether everything was moved; files stay when the target has files with the same names. */
  async #merge(from: DavPath, to: DavPath, lease: KeyLease): Promise<boolean> {
    const { server } = this.#parts
    const answer = await server.moveFolder(from, to, { beforeAttempt: () => lease.assertHeld() })
    if (answer.status === 201 || answer.status === 204) return true
    const isInDoubt = doubtfulStatuses.has(answer.status)
    if (isInDoubt || (await server.stat(to)) === undefined) throw new StatusError('MOVE', answer)
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
    if (isRefused && (await server.stat(to)) === undefined) throw new StatusError('MOVE', answer)
  }

  /** Whether nothing was added to the folders before they were moved. */
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

  /** Moves the object that the folder displaced back to its natural path. */
  async #restoreOwner(object: DavObjectPath, folder: DavPath, lease: KeyLease): Promise<void> {
    const owner = ownerOf(object, textOf(folder), this.#parts.rules)
    if (owner === undefined) return
    const paths = { from: owner.alternative, to: owner.natural }
    const options = { overwrite: false, beforeAttempt: () => lease.assertHeld() }
    await this.#parts.server.transfer('MOVE', paths, options)
  }
}

function nameIn(object: DavObjectPath | undefined): Pick<TidyRecord, 'bucket' | 'key'> {
  return object === undefined ? { key: '' } : { bucket: object.bucket, key: object.key }
}
