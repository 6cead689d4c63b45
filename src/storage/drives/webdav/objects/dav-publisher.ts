import { setTimeout as sleep } from 'node:timers/promises'
import type { AttributeChange } from '../../attributes.ts'
import type { ObjectMetadata, RemovalConditions, WriteConditions } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import type { KeyLease } from '../../kit/key-leases.ts'
import { changedAttributes } from '../../object-lock.ts'
import { assertConditions, assertRemovalConditions, versionOf } from '../../write-conditions.ts'
import type { DavAnswer } from '../client/dav-client.ts'
import { StatusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavEntry } from '../client/multistatus.ts'
import type { DavContext } from '../dav-context.ts'
import type { FoundFile } from './attribute-store.ts'
import type { DavFolderMaker } from './dav-folder-maker.ts'
import {
  type DavPublication,
  type FileMover,
  isLong,
  type MoveProgress,
  recordOf,
  UnconfirmedMove,
  type Way,
} from './file-mover.ts'
import type { FolderTidier } from './folder-tidier.ts'
import { type DavObjectPath, davPathOf } from './object-path.ts'
import { requireEntry, rewriteFile } from './own-files.ts'
import { type PublishRecord, parseDavRecord } from './recovery-record.ts'

/** Attempts while other clients change the path under a writer that holds its lease. */
const attempts = 16
/** Attempts to move the file of a dead process to its key. */
const finishAttempts = 3
/** The coarsest resolution of modification times: two seconds on FAT. */
const longestTickMs = 2_000
const maxRewrites = 2

export interface PublishingContext extends DavContext {
  readonly publisher: DavPublisher
}

export interface DavPublisherParts extends DavContext {
  readonly mover: FileMover
  readonly folders: DavFolderMaker
  readonly tidier: FolderTidier
}

/** Publishes and removes objects (docs/paths/complete-on-webdav.md). Nothing else changes the file of a key. */
export class DavPublisher {
  readonly #parts: DavPublisherParts

  constructor(parts: DavPublisherParts) {
    this.#parts = parts
  }

  /** As Draft.publish. */
  async publish(publication: DavPublication): Promise<ObjectMetadata> {
    const { object, path, entry, attributes } = publication
    const { store, tidier } = this.#parts
    const record = recordOf(publication, store.versionOf(entry))
    const isRecorded = await store.attach(path, record)
    const progress: MoveProgress = {
      ...{ hasMadeFolders: false, refusals: 0, overwritten: undefined, isInDoubt: false },
      isRecorded,
    }
    try {
      const { bucket, key } = object
      const recovery = { bucket, key, path, ...(isRecorded && { record }) }
      const there = await this.#hold(object, recovery, (lease) =>
        this.#put(publication, lease, progress),
      )
      return { size: there.size, modifiedAtMs: there.modifiedAtMs, attributes }
    } catch (error) {
      const isUnused = progress.hasMadeFolders && !(error instanceof UnconfirmedMove)
      if (isUnused) await tidier.tidy(object, object.natural.slice(0, -1))
      throw error
    }
  }

  /** As Drive.setAttributes. */
  async setAttributes(
    object: DavObjectPath,
    change: AttributeChange,
  ): Promise<ObjectMetadata | undefined> {
    const { leases, finder, store } = this.#parts
    return await leases.hold([object.leaseKey], async (lease) => {
      const found = await finder.findAlone(object)
      if (found === undefined) return undefined
      const attributes = changedAttributes(found.metadata.attributes, change)
      lease.bumpRevision(object.folderKey)
      const version = store.versionOf(found.entry)
      await store.replace(found, object.leaseKey, { ...found.record, version, attributes })
      return { ...found.metadata, attributes }
    })
  }

  /** As Drive.remove. */
  async remove(object: DavObjectPath, conditions: RemovalConditions | undefined): Promise<boolean> {
    const { leases, server, finder, store, tidier } = this.#parts
    const removed = await leases.hold([object.leaseKey], async (lease) => {
      const found = await finder.findAlone(object)
      assertRemovalConditions(object, versionOf(found?.metadata), conditions)
      if (found === undefined) return undefined
      lease.bumpRevision(object.folderKey)
      const guarded = { beforeAttempt: () => lease.assertHeld() }
      // If both files exist, the natural one is the object: removed last, it keeps the other one hidden.
      const hasAlternative = found.path === object.natural && (await this.#hasAlternative(object))
      if (hasAlternative) await server.removeFile(object.alternative, guarded)
      await server.removeFile(found.path, guarded)
      store.forget(object.leaseKey, found.entry)
      return hasAlternative ? [object.alternative, found.path] : [found.path]
    })
    for (const path of removed ?? []) await tidier.tidy(object, path.slice(0, -1))
    return removed !== undefined
  }

  /**
   * Completes or undoes the interrupted work of a dead process, where data would otherwise be lost.
   * @throws if that fails; the recovery record must be kept then
   */
  async recover(text: string, lease: KeyLease): Promise<void> {
    const record = parseDavRecord(text)
    if (record === undefined) return
    if ('inner' in record) await this.#parts.tidier.putBack(record, lease)
    else await this.#finish(record, lease)
  }

  /** Moves the file to its key if the key has none: the server may have removed the old one. */
  async #finish(recovery: PublishRecord, lease: KeyLease): Promise<void> {
    const { server, folders, rules } = this.#parts
    const { bucket, key, path } = recovery
    const object = davPathOf(bucket, key, rules)
    for (let attempt = 1; ; attempt++) {
      const entry = await server.stat(path)
      // It was moved, or its writer gave up.
      if (entry === undefined) return await this.#restoreRecord(object, recovery)
      if (!(await this.#isIntended(object, entry, recovery))) return
      const { target, present } = await this.#look(object, true)
      if (present !== undefined) return
      const parent = target.slice(0, -1)
      if ((await server.stat(parent))?.isFolder !== true) await folders.ensure(object, parent)
      lease.bumpRevision(object.folderKey)
      const refusal = await this.#bring({ object, path, entry }, { target, lease })
      if (refusal === undefined) return
      if (attempt >= finishAttempts) throw new StatusError('MOVE', refusal)
    }
  }

  /** Whether the dead process was about to move this version of the file. */
  async #isIntended(
    object: DavObjectPath,
    entry: DavEntry,
    { record }: PublishRecord,
  ): Promise<boolean> {
    const { store } = this.#parts
    // Otherwise the upload was opened again, and took another part.
    if (record !== undefined) return record.version === store.versionOf(entry)
    // The record is saved before the MOVE is sent.
    return !store.savesLate || (await store.find(object.leaseKey, entry)) !== undefined
  }

  /** Moves the file to a free path. Returns the server's answer if it refuses; else undefined. */
  async #bring(
    file: Pick<DavPublication, 'object' | 'path' | 'entry'>,
    { target, lease }: Pick<Way, 'target' | 'lease'>,
  ): Promise<DavAnswer | undefined> {
    const { server, store, mover } = this.#parts
    const options = { overwrite: false, beforeAttempt: () => lease.assertHeld() }
    const answer = await server.transfer('MOVE', { from: file.path, to: target }, options)
    if (answer.status < 300) return undefined
    const record = isLong(target) ? await store.find(file.object.leaseKey, file.entry) : undefined
    if (record === undefined) return answer
    await mover.putThrough({ ...file, ...record }, { target, lease })
    return undefined
  }

  /** Restores the record of a file that was moved without it. */
  async #restoreRecord(object: DavObjectPath, { record }: PublishRecord): Promise<void> {
    const { store } = this.#parts
    const found = record && (await this.#parts.finder.locate(object))
    if (record === undefined || found === undefined) return
    if (store.versionOf(found.entry) === record.version) {
      await store.restore(found, object.leaseKey, record)
    }
  }

  /** Runs `work` with the object's lease, and keeps its folder from being removed. */
  async #hold<R>(
    object: DavObjectPath,
    recovery: PublishRecord,
    work: (lease: KeyLease) => Promise<R>,
  ) {
    const { leases } = this.#parts
    const { bucket, folderKey } = object
    return await leases.hold(
      [object.leaseKey],
      async (lease) => {
        lease.bumpRevision(folderKey)
        if (folderKey !== bucket) await leases.untilFree([folderKey])
        return await work(lease)
      },
      { note: JSON.stringify(recovery) },
    )
  }

  async #put(publication: DavPublication, lease: KeyLease, progress: MoveProgress) {
    try {
      return await this.#putUnderLease(publication, lease, progress)
    } catch (error) {
      throw await this.#parts.mover.judge(error, { lease, progress })
    }
  }

  async #putUnderLease(
    publication: DavPublication,
    lease: KeyLease,
    progress: MoveProgress,
  ): Promise<DavEntry> {
    const { object, conditions } = publication
    const { server, folders, store, mover } = this.#parts
    const isExact = hasConditions(conditions)
    let file = publication
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { target, present } = await this.#look(object, isExact)
      // Otherwise the server removed the object that met the conditions when a MOVE was sent.
      const isUntouched = present !== undefined || progress.overwritten === undefined
      if (isExact && isUntouched) await this.#assertConditions(publication, present)
      const isOverwriting = present !== undefined && present.path === target
      file = await this.#record(file, present, progress)
      const moved = await mover.move(file, { target, isOverwriting, lease, progress })
      if (moved !== undefined) {
        if (present !== undefined) store.forget(object.leaseKey, present.entry)
        return moved
      }
      const parent = target.slice(0, -1)
      if ((await server.stat(parent))?.isFolder !== true) {
        progress.hasMadeFolders = (await folders.ensure(object, parent)) || progress.hasMadeFolders
      }
    }
    throw new DriveError(
      'busy',
      'The object at this key keeps being changed by another client. Try again.',
    )
  }

  /**
   * Saves the record in the database if it is not in a property. If the present file has the same
   * version, because times are in whole seconds, the new file is rewritten first to get another one.
   */
  async #record(
    publication: DavPublication,
    present: FoundFile | undefined,
    progress: MoveProgress,
  ): Promise<DavPublication> {
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
    await store.save(publication.object.leaseKey, record, present?.entry)
    progress.isRecorded = true
    return { ...publication, entry }
  }

  async #assertConditions(
    { object, conditions }: DavPublication,
    present: FoundFile | undefined,
  ): Promise<void> {
    const found = present && (await this.#parts.finder.describe(object, present))
    assertConditions(object, found?.metadata.attributes.etag, conditions)
  }

  /**
   * The path to move the file to (the alternative one if a folder has the natural path), and the current
   * object. Without `isExact`, one at the alternative path that the natural one will hide may be missed.
   */
  async #look(
    object: DavObjectPath,
    isExact: boolean,
  ): Promise<{ target: DavPath; present: FoundFile | undefined }> {
    const { natural, alternative } = object
    const entry = await this.#parts.server.stat(natural)
    if (entry?.isFolder === false) return { target: natural, present: { path: natural, entry } }
    const target = entry === undefined ? natural : alternative
    if (target === natural && !isExact) return { target, present: undefined }
    const other = await this.#parts.server.stat(alternative)
    const present = other?.isFolder === false ? { path: alternative, entry: other } : undefined
    return { target, present }
  }

  async #hasAlternative(object: DavObjectPath): Promise<boolean> {
    return (await this.#parts.server.stat(object.alternative))?.isFolder === false
  }
}

function hasConditions(conditions: WriteConditions | undefined): boolean {
  return conditions?.ifMatch !== undefined || conditions?.ifNoneMatch !== undefined
}
