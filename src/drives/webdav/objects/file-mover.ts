import { setTimeout as sleep } from 'node:timers/promises'
import type { Attributes } from '../../attributes.ts'
import { DriveError, type WriteConditions } from '../../drive.ts'
import type { KeyLease } from '../../key-leases.ts'
import { md5OfEtag } from '../client/arrivals.ts'
import { statusError } from '../client/dav-error.ts'
import { type DavPath, targetOf } from '../client/dav-path.ts'
import type { DavEntry } from '../client/multistatus.ts'
import type { DavContext } from '../dav-context.ts'
import type { AttributeStore } from './attribute-store.ts'
import type { DavRecord } from './dav-attributes.ts'
import { type DavPlace, textOf } from './object-path.ts'
import { copyThrough, requireEntry } from './written-file.ts'

/** How long to wait for a MOVE whose response was lost before the next writer recovers it. */
const patienceMs = 60_000
const longestPauseMs = 5_000
/** With these a proxy or a lock stands between: the MOVE may have been done, or come to be. */
const doubtfulStatuses: ReadonlySet<number> = new Set([423, 502, 503, 504])
/** After this many unexplained refusals, the cause must be invisible: a permission. */
const maxRefusals = 4
/** Characters of a target beyond which a server may refuse it as a Destination. */
const longTarget = 3_500

/** A file that is whole, on its way to a key. */
export interface Publication {
  readonly place: DavPlace
  /** Where the file is now, in the drive's own folder. On rejection it stays there. */
  readonly path: DavPath
  readonly entry: DavEntry
  readonly attributes: Attributes
  readonly conditions?: WriteConditions | undefined
  readonly uploadId?: string
  /** See CompleteOptions.assertHeld. */
  readonly assertHeld?: (() => void) | undefined
}

/** It is not known whether the file got to its place: it must not be removed from where it was. */
export class UnsettledMove extends DriveError {}

/** Where a file is to go, and what was seen there. */
export interface Way {
  readonly target: DavPath
  readonly isOverwriting: boolean
  readonly lease: KeyLease
  readonly progress: MoveProgress
}

/** What has come of the attempts to get one file to its place. */
export interface MoveProgress {
  hasMadeFolders: boolean
  /** Number of MOVEs refused without a visible reason. */
  refusals: number
  /** Where an object was when a MOVE over it was sent. Apache, rclone and sabre/dav remove it first. */
  overwritten: DavPath | undefined
  /** A MOVE was sent that may still be in progress. */
  isInDoubt: boolean
  /** Whether the file's record is saved for its final place. */
  isRecorded: boolean
}

export interface FileMoverParts extends DavContext {
  readonly store: AttributeStore
}

interface Outcome {
  /** `refused`: the file is where it was. `doubtful`: it may have been moved, or be about to be. */
  readonly kind: 'refused' | 'doubtful'
  readonly error: DriveError
}

/** Moves files into place as objects, and determines the outcome of each MOVE. */
export class FileMover {
  readonly #parts: FileMoverParts

  constructor(parts: FileMoverParts) {
    this.#parts = parts
  }

  /** What is at the target then; undefined when something else is in the way than was seen. */
  async move(publication: Publication, way: Way): Promise<DavEntry | undefined> {
    const giveUpAt = performance.now() + patienceMs
    for (let attempt = 0; ; attempt++) {
      const pauseMs = Math.min(longestPauseMs, this.#parts.firstPauseMs * 2 ** attempt)
      const outcome = await this.#tryMove(publication, way)
      if (outcome === 'moved') return publication.entry
      try {
        if (!(await this.#isStillThere(publication))) {
          // Whatever the status, the file was moved, but its record may not have been.
          way.progress.isInDoubt = true
          return await this.#requireArrived(publication, way)
        }
        if (outcome.kind === 'refused') return await this.#afterRefusal(publication, way, outcome)
      } catch (error) {
        if (!isUnavailable(error) || !way.progress.isInDoubt) throw error
      }
      await sleep(pauseMs)
      if (performance.now() > giveUpAt) throw outcome.error
    }
  }

  /**
   * The error to report when a file did not reach its place: UnsettledMove if a MOVE may still be
   * executed, or has cost the object that was there. Then the file is the only copy, and the next
   * writer moves it into place.
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
    return new UnsettledMove(isFull ? 'full' : 'unavailable', message, { cause: error })
  }

  async #tryMove({ path: from, assertHeld }: Publication, way: Way): Promise<'moved' | Outcome> {
    const { target: to, isOverwriting: overwrite, lease, progress } = way
    let isSent = false
    let isHeld = true
    const beforeAttempt = () => {
      isHeld = false
      lease.assertHeld()
      assertHeld?.()
      isHeld = true
      isSent = true
      if (overwrite) progress.overwritten = to
    }
    try {
      const options = { overwrite, beforeAttempt }
      const answer = await this.#parts.server.transfer('MOVE', { from, to }, options)
      if (answer.status === 201 || answer.status === 204) return 'moved'
      const isDoubtful = doubtfulStatuses.has(answer.status)
      progress.isInDoubt ||= isDoubtful
      return { kind: isDoubtful ? 'doubtful' : 'refused', error: statusError('MOVE', answer) }
    } catch (error) {
      // The key or the upload was lost after such a status, or there was no answer.
      progress.isInDoubt ||= (isSent && (!isHeld || lease.signal.aborted)) || isUnavailable(error)
      if (isUnavailable(error)) return { kind: 'doubtful', error }
      throw error
    }
  }

  async #isStillThere({ path }: Publication): Promise<boolean> {
    return (await this.#parts.server.stat(path)) !== undefined
  }

  /** The file is not where it was: a MOVE has done it that failed, or whose answer was lost. */
  async #requireArrived(publication: Publication, { target }: Way): Promise<DavEntry> {
    const { server, store } = this.#parts
    const { entry, place } = publication
    const there = requireEntry(await server.stat(target), 'the new object')
    const version = store.versionOf(entry)
    if (store.versionOf(there) !== version) {
      throw new DriveError('unavailable', 'The WebDAV server lost the new object.')
    }
    const found = { path: target, entry: there }
    await store.restore(found, place.path, recordOf(publication, version))
    return there
  }

  /** Undefined when there is a reason for the refusal that another attempt takes into account. */
  async #afterRefusal(
    publication: Publication,
    way: Way,
    { error }: Outcome,
  ): Promise<DavEntry | undefined> {
    const { server } = this.#parts
    const { target, isOverwriting } = way
    const there = await server.stat(target)
    const isAsSeen = isOverwriting ? there?.isFolder === false : there === undefined
    if (!isAsSeen || (await server.stat(target.slice(0, -1)))?.isFolder !== true) return undefined
    if (error.kind === 'full') throw error
    if (isLong(target)) return await this.putThrough(publication, way)
    // The reason may have passed before the check: another process creates the same folder.
    if (++way.progress.refusals < maxRefusals) return undefined
    const place = textOf(target).slice(0, 200)
    const message = `The WebDAV server refuses to store a file at ${place}.`
    throw new DriveError('denied', `${message} Check the account's permissions there.`)
  }

  /**
   * lighttpd takes no Destination beyond 4 KiB, but targets of any length: the bytes go through here.
   * Readers see that they have no record yet, and wait for the lease.
   *
   * @throws DriveError `unavailable` when other bytes arrived; they are removed, and the file stays
   */
  async putThrough(
    publication: Publication,
    { target, lease }: Pick<Way, 'target' | 'lease'>,
  ): Promise<DavEntry> {
    const { server, store } = this.#parts
    const { path, entry, place, attributes } = publication
    const there = await copyThrough(server, {
      ...{ from: path, to: target, size: entry.size, md5: md5OfEtag(attributes.etag) },
      beforeWrite: () => {
        lease.assertHeld()
        publication.assertHeld?.()
      },
    })
    const record = recordOf(publication, store.versionOf(there))
    if (!(await store.attach(target, record))) await store.save(place.path, record)
    await server.removeFile(path)
    return there
  }

  /** False also when that can't be found out. */
  async #isFile(path: DavPath): Promise<boolean> {
    try {
      return (await this.#parts.server.stat(path))?.isFolder === false
    } catch {
      return false
    }
  }
}

/** What is to be remembered of a file that has this version. */
export function recordOf({ attributes, uploadId }: Publication, version: string): DavRecord {
  return { version, attributes, ...(uploadId !== undefined && { uploadId }) }
}

/** Whether a server may refuse this target as the Destination of a MOVE. */
export function isLong(target: DavPath): boolean {
  return targetOf([], target).length > longTarget
}

function isUnavailable(error: unknown): error is DriveError {
  return error instanceof DriveError && error.kind === 'unavailable'
}
