import { setTimeout as sleep } from 'node:timers/promises'
import { DriveError, type ObjectMetadata, type WriteConditions } from '../../drive.ts'
import type { KeyLease } from '../../key-leases.ts'
import { assertConditions } from '../../write-conditions.ts'
import type { DavAnswer } from '../client/dav-client.ts'
import { statusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavEntry } from '../client/multistatus.ts'
import type { DavContext } from '../dav-context.ts'
import type { AttributeStore, FoundFile } from './attribute-store.ts'
import {
  type FileMover,
  isLong,
  type MoveProgress,
  type Publication,
  recordOf,
  UnsettledMove,
  type Way,
} from './file-mover.ts'
import type { FolderMaker } from './folder-maker.ts'
import type { FolderTidier } from './folder-tidier.ts'
import type { ObjectFinder } from './object-finder.ts'
import { type DavPlace, davPlaceOf } from './object-path.ts'
import { type PublishNote, parseNote } from './recovery-record.ts'
import { rewriteFile } from './rewrite-file.ts'
import { requireEntry } from './written-file.ts'

/** How often what is at a place may change, by hand, under a writer that holds its lease. */
const attempts = 16
/** How often a dead process's file is tried to be put at its key. */
const finishAttempts = 3
/** The longest that a server may show one time: FAT has seconds by twos. */
const longestTickMs = 2_000
const maxRewrites = 2

export interface PublisherParts extends DavContext {
  readonly store: AttributeStore
  readonly finder: ObjectFinder
  readonly mover: FileMover
  readonly folders: FolderMaker
  readonly tidier: FolderTidier
}

/** Puts files at keys and takes them away: the only code that changes what is at a key. */
export class DavPublisher {
  readonly #parts: PublisherParts

  constructor(parts: PublisherParts) {
    this.#parts = parts
  }

  /** As Draft.publish. */
  async publish(publication: Publication): Promise<ObjectMetadata> {
    const { place, path, entry, attributes } = publication
    const { store, tidier } = this.#parts
    const record = recordOf(publication, store.versionOf(entry))
    const isRecorded = await store.attach(path, record)
    const progress: MoveProgress = {
      ...{ hasMadeFolders: false, refusals: 0, overwritten: undefined, isInDoubt: false },
      isRecorded,
    }
    try {
      const { bucket, key } = place
      const note = { bucket, key, path, ...(isRecorded && { record }) }
      const there = await this.#hold(place, note, (lease) =>
        this.#put(publication, lease, progress),
      )
      return { size: there.size, modifiedAtMs: there.modifiedAtMs, attributes }
    } catch (error) {
      const isToGo = progress.hasMadeFolders && !(error instanceof UnsettledMove)
      if (isToGo) await tidier.tidy(place, place.natural.slice(0, -1))
      throw error
    }
  }

  /** As Drive.remove. */
  async remove(place: DavPlace, conditions: WriteConditions | undefined): Promise<boolean> {
    const { leases, server, finder, store, tidier } = this.#parts
    const removed = await leases.hold([place.path], async (lease) => {
      const found = await finder.findAlone(place)
      assertConditions(place, found?.facts.attributes.etag, conditions)
      if (found === undefined) return undefined
      lease.bumpRevision(place.folder)
      const guarded = { beforeAttempt: () => lease.assertHeld() }
      // The natural file counts when there are both: removed last, the other never comes to light.
      const hasAlternative = found.path === place.natural && (await this.#hasAlternative(place))
      if (hasAlternative) await server.removeFile(place.alternative, guarded)
      await server.removeFile(found.path, guarded)
      store.forget(place.path, found.entry)
      return hasAlternative ? [place.alternative, found.path] : [found.path]
    })
    for (const path of removed ?? []) await tidier.tidy(place, path.slice(0, -1))
    return removed !== undefined
  }

  /** As Drive.removeFolder. */
  async removeFolder(place: DavPlace, folder: DavPath): Promise<void> {
    await this.#parts.tidier.tidy(place, folder, folder)
  }

  /**
   * Finishes or undoes what the note of a dead process says, where something would else be lost.
   * @throws what keeps it from that; the note has to stay then
   */
  async recover(text: string, lease: KeyLease): Promise<void> {
    const note = parseNote(text)
    if (note === undefined) return
    if ('inner' in note) await this.#parts.tidier.recover(note, lease)
    else await this.#finish(note, lease)
  }

  /** Puts the file at its key, if there is nothing: the server may have removed what was there. */
  async #finish(note: PublishNote, lease: KeyLease): Promise<void> {
    const { server, store, folders, rules } = this.#parts
    const { bucket, key, path } = note
    const place = davPlaceOf(bucket, key, rules)
    for (let attempt = 1; ; attempt++) {
      const entry = await server.stat(path)
      // Moved already, or given up by who wrote it.
      if (entry === undefined) return await this.#restoreRecord(place, note)
      // No MOVE was sent before there was one.
      if (store.savesLate && (await store.find(place.path, entry)) === undefined) return
      const { target, present } = await this.#look(place, true)
      if (present !== undefined) return
      const parent = target.slice(0, -1)
      if ((await server.stat(parent))?.isFolder !== true) await folders.ensure(place, parent)
      lease.bumpRevision(place.folder)
      const refusal = await this.#bring({ place, path, entry }, { target, lease })
      if (refusal === undefined) return
      if (attempt >= finishAttempts) throw statusError('MOVE', refusal)
    }
  }

  /** The answer of a server that refuses the MOVE to where nothing is; undefined when it is done. */
  async #bring(
    file: Pick<Publication, 'place' | 'path' | 'entry'>,
    { target, lease }: Pick<Way, 'target' | 'lease'>,
  ): Promise<DavAnswer | undefined> {
    const { server, store, mover } = this.#parts
    const options = { overwrite: false, beforeAttempt: () => lease.assertHeld() }
    const answer = await server.transfer('MOVE', { from: file.path, to: target }, options)
    if (answer.status < 300) return undefined
    const record = isLong(target) ? await store.find(file.place.path, file.entry) : undefined
    if (record === undefined) return answer
    await mover.putThrough({ ...file, ...record }, { target, lease })
    return undefined
  }

  /** For a file that was moved without its record. */
  async #restoreRecord(place: DavPlace, { record }: PublishNote): Promise<void> {
    const { store } = this.#parts
    const found = record && (await this.#parts.finder.locate(place))
    if (record === undefined || found === undefined) return
    if (store.versionOf(found.entry) === record.version) {
      await store.restore(found, place.path, record)
    }
  }

  /** Runs `work` as the one who writes at the place and whose folder stays. */
  async #hold<R>(place: DavPlace, note: PublishNote, work: (lease: KeyLease) => Promise<R>) {
    const { leases } = this.#parts
    const { bucket, folder } = place
    return await leases.hold(
      [place.path],
      async (lease) => {
        lease.bumpRevision(folder)
        if (folder !== bucket) await leases.untilFree([folder])
        return await work(lease)
      },
      { note: JSON.stringify(note) },
    )
  }

  async #put(publication: Publication, lease: KeyLease, progress: MoveProgress) {
    try {
      return await this.#putHeld(publication, lease, progress)
    } catch (error) {
      throw await this.#parts.mover.judge(error, { lease, progress })
    }
  }

  async #putHeld(
    publication: Publication,
    lease: KeyLease,
    progress: MoveProgress,
  ): Promise<DavEntry> {
    const { place, conditions } = publication
    const { server, folders, store, mover } = this.#parts
    const isExact = hasConditions(conditions)
    let file = publication
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { target, present } = await this.#look(place, isExact)
      // Else the server has removed what met the conditions when a MOVE was sent.
      const isUntouched = present !== undefined || progress.overwritten === undefined
      if (isExact && isUntouched) await this.#assertConditions(publication, present)
      const isOverwriting = present !== undefined && present.path === target
      file = await this.#record(file, present, progress)
      const moved = await mover.move(file, { target, isOverwriting, lease, progress })
      if (moved !== undefined) {
        if (present !== undefined) store.forget(place.path, present.entry)
        return moved
      }
      const parent = target.slice(0, -1)
      if ((await server.stat(parent))?.isFolder !== true) {
        progress.hasMadeFolders = (await folders.ensure(place, parent)) || progress.hasMadeFolders
      }
    }
    throw new DriveError(
      'busy',
      'The object at this key keeps being changed by another client. Try again.',
    )
  }

  /**
   * Saves the record in the database, if the file has none of its own, once only a MOVE can still
   * fail: it applies to any file with its version. If the present file has the same version, by a
   * time in whole seconds, the new file gets another one first.
   */
  async #record(
    publication: Publication,
    present: FoundFile | undefined,
    progress: MoveProgress,
  ): Promise<Publication> {
    if (progress.isRecorded) return publication
    const { server, store } = this.#parts
    const taken = present && store.versionOf(present.entry)
    let { entry } = publication
    for (let attempt = 1; store.versionOf(entry) === taken; attempt++) {
      if (attempt > maxRewrites) {
        throw new DriveError(
          'busy',
          'The WebDAV server reports the same modification time for different files.',
        )
      }
      await sleep(longestTickMs)
      await rewriteFile(server, publication.path, entry.size)
      entry = requireEntry(await server.stat(publication.path), 'a file that was just written')
    }
    const record = recordOf(publication, store.versionOf(entry))
    await store.save(publication.place.path, record, present?.entry)
    progress.isRecorded = true
    return { ...publication, entry }
  }

  async #assertConditions(
    { place, conditions }: Publication,
    present: FoundFile | undefined,
  ): Promise<void> {
    const object = present && (await this.#parts.finder.describe(place, present))
    assertConditions(place, object?.facts.attributes.etag, conditions)
  }

  /**
   * Where the file has to go (beside a folder of its name it has another one), and the object that is
   * there now. Without `isExact` an object at the alternative path that the natural one will hide
   * may be overlooked.
   */
  async #look(
    place: DavPlace,
    isExact: boolean,
  ): Promise<{ target: DavPath; present: FoundFile | undefined }> {
    const { natural, alternative } = place
    const entry = await this.#parts.server.stat(natural)
    if (entry?.isFolder === false) return { target: natural, present: { path: natural, entry } }
    const target = entry === undefined ? natural : alternative
    if (target === natural && !isExact) return { target, present: undefined }
    const other = await this.#parts.server.stat(alternative)
    const present = other?.isFolder === false ? { path: alternative, entry: other } : undefined
    return { target, present }
  }

  async #hasAlternative(place: DavPlace): Promise<boolean> {
    return (await this.#parts.server.stat(place.alternative))?.isFolder === false
  }
}

function hasConditions(conditions: WriteConditions | undefined): boolean {
  return conditions?.ifMatch !== undefined || conditions?.ifNoneMatch !== undefined
}
