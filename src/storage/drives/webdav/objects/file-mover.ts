import { setTimeout as sleep } from 'node:timers/promises'
import { backOffMs } from '../../../../platform/process/back-off.ts'
import type { Attributes } from '../../attributes.ts'
import type { WriteConditions } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import type { KeyLease } from '../../kit/key-leases.ts'
import { md5OfEtag } from '../client/arrivals.ts'
import { StatusError } from '../client/dav-error.ts'
import { type DavPath, targetOf } from '../client/dav-path.ts'
import type { DavEntry } from '../client/multistatus.ts'
import type { DavContext } from '../dav-context.ts'
import type { DavRecord } from './attribute-store.ts'
import { type DavObjectPath, textOf } from './object-path.ts'
import { copyThrough, requireEntry } from './own-files.ts'

/** How long to wait for a MOVE whose response was lost. After that, the next writer recovers it. */
const patienceMs = 60_000
/** Statuses of a proxy or a lock: the MOVE may have been executed, or may be executed later. */
const doubtfulStatuses: ReadonlySet<number> = new Set([423, 502, 503, 504])
/** After this many unexplained refusals, the cause must be a permission. */
const maxRefusals = 4
/** Characters of a target beyond which a server may refuse it as a Destination. */
const longTarget = 3_500

/** A complete file that is to become an object. */
export interface DavPublication {
  readonly object: DavObjectPath
  /** The file's path in the drive's own folder. It stays there if publishing fails. */
  readonly path: DavPath
  readonly entry: DavEntry
  readonly attributes: Attributes
  readonly conditions?: WriteConditions | undefined
  readonly uploadId?: string
  /** See CompleteOptions.assertHeld. */
  readonly assertHeld?: (() => void) | undefined
}

/** It is unknown whether the file was moved: it must not be removed from its old path. */
export class UnconfirmedMove extends DriveError {}

/** Where to move a file, and whether a file was found there. */
export interface Way {
  readonly target: DavPath
  readonly isOverwriting: boolean
  readonly lease: KeyLease
  readonly progress: MoveProgress
}

/** The state of the attempts to move one file into place. */
export interface MoveProgress {
  hasMadeFolders: boolean
  /** Number of MOVEs refused without a visible reason. */
  refusals: number
  /** The object's path when a MOVE over it was sent. Apache, rclone and sabre/dav remove it first. */
  overwritten: DavPath | undefined
  /** A MOVE was sent that may still be in progress. */
  isInDoubt: boolean
  /** Whether the file's record is saved for its final place. */
  isRecorded: boolean
}

interface Outcome {
  /** `refused`: the file was not moved. `doubtful`: it may have been moved, or may be later. */
  readonly kind: 'refused' | 'doubtful'
  readonly error: DriveError
}

/** Moves files into place as objects, and determines the outcome of each MOVE. */
export class FileMover {
  readonly #parts: DavContext

  constructor(parts: DavContext) {
    this.#parts = parts
  }

  /** Returns the moved file; undefined when the target is no longer as it was seen. */
  async move(publication: DavPublication, way: Way): Promise<DavEntry | undefined> {
    const giveUpAt = performance.now() + patienceMs
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#tryMove(publication, way)
      if (outcome === 'moved') return publication.entry
      try {
        if ((await this.#parts.server.stat(publication.path)) === undefined) {
          // Regardless of the status, the file was moved, but possibly without its record.
          way.progress.isInDoubt = true
          return await this.#requireArrived(publication, way)
        }
        if (outcome.kind === 'refused') return await this.#afterRefusal(publication, way, outcome)
      } catch (error) {
        if (!isUnavailable(error) || !way.progress.isInDoubt) throw error
      }
      await sleep(backOffMs(attempt, this.#parts.backOff, Math.random))
      if (performance.now() > giveUpAt) throw outcome.error
    }
  }

  /**
   * The error to report when a file did not reach its place: UnconfirmedMove if a MOVE may still be
   * executed, or has removed the old object. The next writer then decides.
   */
  async judge(
    error: unknown,
    { lease, progress }: Pick<Way, 'lease' | 'progress'>,
  ): Promise<unknown> {
    const { overwritten, isInDoubt } = progress
    const isHarmless = overwritten === undefined || (await this.#isFile(overwritten))
    if (isHarmless && !isInDoubt) return error
    lease.leaveNote()
    const isFull = error instanceof DriveError && error.kind === 'full'
    const message = isFull
      ? 'There is no space left to move the new object into place. It will be moved when there is.'
      : 'The WebDAV server did not confirm that it moved the new object into place.'
    return new UnconfirmedMove(isFull ? 'full' : 'unavailable', message, { cause: error })
  }

  async #tryMove({ path: from, assertHeld }: DavPublication, way: Way): Promise<'moved' | Outcome> {
    const { target: to, isOverwriting: overwrite, lease, progress } = way
    let isSent = false
    let isAllowed = true
    const beforeAttempt = () => {
      isAllowed = false
      lease.assertHeld()
      assertHeld?.()
      isAllowed = true
      isSent = true
      if (overwrite) progress.overwritten = to
    }
    try {
      const options = { overwrite, beforeAttempt }
      const answer = await this.#parts.server.transfer('MOVE', { from, to }, options)
      if (answer.status === 201 || answer.status === 204) return 'moved'
      const isDoubtful = doubtfulStatuses.has(answer.status)
      progress.isInDoubt ||= isDoubtful
      return { kind: isDoubtful ? 'doubtful' : 'refused', error: new StatusError('MOVE', answer) }
    } catch (error) {
      // The lease or the upload was lost after such a status, or there was no answer.
      progress.isInDoubt ||=
        (isSent && (!isAllowed || lease.signal.aborted)) || isUnavailable(error)
      if (isUnavailable(error)) return { kind: 'doubtful', error }
      throw error
    }
  }

  /** The file left its path: a MOVE that failed, or whose answer was lost, was executed. */
  async #requireArrived(publication: DavPublication, { target }: Way): Promise<DavEntry> {
    const { server, store } = this.#parts
    const { entry, object } = publication
    const moved = requireEntry(await server.stat(target), 'the new object')
    const version = store.versionOf(entry)
    if (store.versionOf(moved) !== version) {
      throw new DriveError('unavailable', 'The WebDAV server lost the new object.')
    }
    const found = { path: target, entry: moved }
    await store.restore(found, object.leaseKey, recordOf(publication, version))
    return moved
  }

  /** Undefined when another attempt can avoid the cause of the refusal. */
  async #afterRefusal(
    publication: DavPublication,
    way: Way,
    { error }: Outcome,
  ): Promise<DavEntry | undefined> {
    const { server } = this.#parts
    const { target, isOverwriting } = way
    const present = await server.stat(target)
    const isAsSeen = isOverwriting ? present?.isFolder === false : present === undefined
    if (!isAsSeen || (await server.stat(target.slice(0, -1)))?.isFolder !== true) return undefined
    if (error.kind === 'full') throw error
    if (isLong(target)) return await this.putThrough(publication, way)
    // The cause may be gone already, such as another process that was creating the same folder.
    if (++way.progress.refusals < maxRefusals) return undefined
    const path = textOf(target).slice(0, 200)
    const message = `The WebDAV server refuses to store a file at ${path}.`
    throw new DriveError('denied', `${message} Check the account's permissions there.`)
  }

  /**
   * lighttpd accepts no Destination longer than 4 KiB, but request targets of any length: the bytes
   * are copied through this process. Readers see that the copy has no record, and wait for the lease.
   *
   * @throws DriveError `unavailable` when other bytes arrived; they are removed, and the file stays
   */
  async putThrough(
    publication: DavPublication,
    { target, lease }: Pick<Way, 'target' | 'lease'>,
  ): Promise<DavEntry> {
    const { server, store } = this.#parts
    const { path, entry, object, attributes } = publication
    const copy = await copyThrough(server, {
      ...{ from: path, to: target, size: entry.size, md5: md5OfEtag(attributes.etag) },
      beforeWrite: () => {
        lease.assertHeld()
        publication.assertHeld?.()
      },
    })
    const record = recordOf(publication, store.versionOf(copy))
    if (!(await store.attach(target, record))) await store.save(object.leaseKey, record)
    await server.removeFile(path)
    return copy
  }

  /** False also when the check fails. */
  async #isFile(path: DavPath): Promise<boolean> {
    try {
      return (await this.#parts.server.stat(path))?.isFolder === false
    } catch {
      return false
    }
  }
}

/** The record of the file with this version. */
export function recordOf({ attributes, uploadId }: DavPublication, version: string): DavRecord {
  return { version, attributes, ...(uploadId !== undefined && { uploadId }) }
}

/** Whether a server may refuse this target as the Destination of a MOVE. */
export function isLong(target: DavPath): boolean {
  return targetOf([], target).length > longTarget
}

function isUnavailable(error: unknown): error is DriveError {
  return error instanceof DriveError && error.kind === 'unavailable'
}
