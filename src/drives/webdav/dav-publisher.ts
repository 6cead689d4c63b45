import { setTimeout as sleep } from 'node:timers/promises'
import type { Attributes } from '../attributes.ts'
import { DriveError, type ObjectFacts, type ObjectName, type WriteConditions } from '../drive.ts'
import type { KeyLease, KeyLeases } from '../key-leases.ts'
import type { NameRules } from '../name-rules.ts'
import { assertConditions } from '../write-conditions.ts'
import type { AttributeStore } from './attribute-store.ts'
import type { DavRecord } from './dav-attributes.ts'
import { abandon } from './dav-client.ts'
import { statusError } from './dav-error.ts'
import { type DavPath, targetOf } from './dav-path.ts'
import { type DavPlace, davPlaceOf, textOf } from './dav-place.ts'
import type { DavServer } from './dav-server.ts'
import type { FolderMaker } from './folder-maker.ts'
import type { FolderTidier, TidyNote } from './folder-tidier.ts'
import type { DavEntry } from './multistatus.ts'
import { type FoundFile, type ObjectFinder, requireEntry } from './object-finder.ts'

/** How often what is at a place may change, by hand, under a writer that holds its lease. */
const attempts = 16
/** How long a MOVE whose answer was lost is looked after before the next one has to. */
const patienceMs = 60_000
const longestPauseMs = 5_000
/** With these a proxy or a lock stands between: the MOVE may have been done, or come to be. */
const doubtfulStatuses: ReadonlySet<number> = new Set([423, 502, 503, 504])
/** After so many refusals without a reason there is one that no look shows: a permission. */
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
}

/** It is not known whether the file got to its place: it must not be removed from where it was. */
export class UnsettledMove extends DriveError {}

type Settled = DavEntry | undefined

/** Where a file is to go, and what was seen there. */
interface Way {
  readonly target: DavPath
  readonly isOverwriting: boolean
  readonly lease: KeyLease
  readonly progress: Progress
}

interface Progress {
  hasMadeFolders: boolean
  /** How often a MOVE was refused of which nothing was seen that would explain it. */
  refusals: number
}

/** What a publisher's lease says, for whoever takes over from it. */
interface PublishNote {
  readonly bucket: string
  readonly key: string
  readonly path: DavPath
}

export interface PublisherParts {
  readonly server: DavServer
  readonly leases: KeyLeases
  readonly store: AttributeStore
  readonly finder: ObjectFinder
  readonly folders: FolderMaker
  readonly tidier: FolderTidier
  readonly rules: NameRules
  /** Before the first look after a MOVE whose answer was lost; each further pause is twice as long. */
  readonly firstPauseMs: number
}

/** Puts files at keys and takes them away: the only code that changes what is at a key. */
export class DavPublisher {
  readonly #parts: PublisherParts

  constructor(parts: PublisherParts) {
    this.#parts = parts
  }

  /** As Draft.publish. */
  async publish(publication: Publication): Promise<ObjectFacts> {
    const { place, path, entry, attributes, uploadId } = publication
    const { store, tidier } = this.#parts
    const version = store.versionOf(entry)
    const record: DavRecord = { version, attributes, ...(uploadId !== undefined && { uploadId }) }
    await store.save(path, place.path, record)
    const progress = { hasMadeFolders: false, refusals: 0 }
    try {
      const there = await this.#hold(place, path, (lease) =>
        this.#put(publication, lease, progress),
      )
      return { size: there.size, modifiedAtMs: there.modifiedAtMs, attributes }
    } catch (error) {
      if (progress.hasMadeFolders) await tidier.tidy(place, place.natural.slice(0, -1))
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
      lease.raise(place.folder)
      lease.assertHeld()
      // The natural file counts when there are both: removed last, the other never comes to light.
      const hasAlternative = found.path === place.natural && (await this.#hasAlternative(place))
      if (hasAlternative) await server.removeFile(place.alternative)
      await server.removeFile(found.path)
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

  /** Finishes or undoes what the note of a dead process says, where something would else be lost. */
  async recover(text: string): Promise<void> {
    const note = JSON.parse(text) as PublishNote | TidyNote
    if ('aside' in note) await this.#parts.tidier.recover(note)
    else await this.#finish(note)
  }

  async #finish({ bucket, key, path }: PublishNote): Promise<void> {
    const place = davPlaceOf(bucket, key, this.#parts.rules)
    const entry = await this.#parts.server.stat(path)
    if (entry === undefined || (await this.#parts.finder.locate(place)) !== undefined) return
    const natural = await this.#parts.server.stat(place.natural)
    const to = natural?.isFolder === true ? place.alternative : place.natural
    // Where even the folder is gone, the object was not one that could have been overwritten.
    await this.#parts.server.transfer('MOVE', { from: path, to }, { overwrite: false })
  }

  /** Runs `work` as the one who writes at the place and whose folder stays. */
  async #hold<R>(place: DavPlace, path: DavPath, work: (lease: KeyLease) => Promise<R>) {
    const { leases } = this.#parts
    const { bucket, key, folder } = place
    const note: PublishNote = { bucket, key, path }
    return await leases.hold(
      [place.path],
      async (lease) => {
        lease.raise(folder)
        if (folder !== bucket) await leases.untilFree([folder])
        return await work(lease)
      },
      { note: JSON.stringify(note) },
    )
  }

  async #put(publication: Publication, lease: KeyLease, progress: Progress): Promise<DavEntry> {
    const { place, conditions } = publication
    const { finder, server, folders, store } = this.#parts
    const isExact = hasConditions(conditions)
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { target, present } = await this.#look(place, isExact)
      const object = present && isExact ? await finder.describe(place, present) : undefined
      assertConditions(place, object?.facts.attributes.etag, conditions)
      lease.assertHeld()
      const isOverwriting = present !== undefined && present.path === target
      const moved = await this.#move(publication, { target, isOverwriting, lease, progress })
      if (moved !== undefined) {
        if (present !== undefined) store.forget(place.path, present.entry)
        return moved
      }
      const parent = target.slice(0, -1)
      if ((await server.stat(parent))?.isFolder !== true) {
        progress.hasMadeFolders = (await folders.ensure(place, parent)) || progress.hasMadeFolders
      }
    }
    throw new DriveError('busy', 'What is at this key changes all the time.')
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

  /** What is at the target then; undefined when something else is in the way than was seen. */
  async #move(publication: Publication, way: Way): Promise<DavEntry | undefined> {
    const giveUpAt = Date.now() + patienceMs
    for (let attempt = 0; ; attempt++) {
      const pauseMs = Math.min(longestPauseMs, this.#parts.firstPauseMs * 2 ** attempt)
      const outcome = await this.#tryMove(publication.path, way)
      if (outcome === 'moved') return publication.entry
      if (outcome === 'refused') return await this.#lookAfter(publication, way, outcome)
      try {
        const settled = await this.#lookAfter(publication, way, outcome)
        if (settled !== 'again') return settled
        await sleep(pauseMs)
        way.lease.assertHeld()
      } catch (error) {
        if (!isUnavailable(error)) throw this.#unsure(way.lease, error)
        await sleep(pauseMs)
      }
      if (Date.now() > giveUpAt) throw this.#unsure(way.lease, outcome)
    }
  }

  /** Finds out what has become of a MOVE that was not done, or of which that is not known. */
  async #lookAfter(publication: Publication, way: Way, outcome: 'refused'): Promise<Settled>
  async #lookAfter(
    publication: Publication,
    way: Way,
    outcome: DriveError,
  ): Promise<Settled | 'again'>
  async #lookAfter(publication: Publication, way: Way, outcome: 'refused' | DriveError) {
    const source = await this.#parts.server.stat(publication.path)
    if (source === undefined) return await this.#requireArrived(way.target, publication.entry)
    return outcome === 'refused' ? await this.#afterRefusal(publication, way) : 'again'
  }

  /** `refused`: the server has done nothing. A DriveError: it may have, or may be about to. */
  async #tryMove(from: DavPath, way: Way): Promise<'moved' | 'refused' | DriveError> {
    const { target: to, isOverwriting: overwrite } = way
    try {
      const answer = await this.#parts.server.transfer('MOVE', { from, to }, { overwrite })
      if (answer.status === 201 || answer.status === 204) return 'moved'
      const error = statusError('MOVE', answer)
      if (error.kind === 'full') throw error
      return doubtfulStatuses.has(answer.status) ? error : 'refused'
    } catch (error) {
      if (isUnavailable(error)) return error
      throw error
    }
  }

  /** The file is not where it was: an earlier MOVE, whose answer was lost, has done it. */
  async #requireArrived(target: DavPath, entry: DavEntry): Promise<DavEntry> {
    const { server, store } = this.#parts
    const there = requireEntry(await server.stat(target), 'the new object')
    if (store.versionOf(there) === store.versionOf(entry)) return there
    throw new DriveError('unavailable', 'The WebDAV server has lost the new object.')
  }

  /** Undefined when there is a reason for the refusal that another attempt takes into account. */
  async #afterRefusal(publication: Publication, way: Way): Promise<DavEntry | undefined> {
    const { server } = this.#parts
    const { target, isOverwriting } = way
    const there = await server.stat(target)
    const isAsSeen = isOverwriting ? there?.isFolder === false : there === undefined
    if (!isAsSeen || (await server.stat(target.slice(0, -1)))?.isFolder !== true) return undefined
    if (encodedLength(target) > longTarget) return await this.#putThrough(publication, way)
    // The reason may have gone before it was looked for: another process makes the same folder.
    if (++way.progress.refusals < maxRefusals) return undefined
    const place = textOf(target).slice(0, 200)
    const message = `The WebDAV server refuses to put a file at ${place}.`
    throw new DriveError('denied', `${message} Check what the account may do there.`)
  }

  /**
   * lighttpd takes no Destination beyond 4 KiB, but targets of any length: the bytes go through here.
   * Readers see that they have no record yet, and wait for the lease.
   */
  async #putThrough(publication: Publication, way: Way): Promise<DavEntry> {
    const { server, store } = this.#parts
    const { path, entry, place, attributes, uploadId } = publication
    const response = await server.get(path, {})
    if (response.status !== 200) {
      abandon(response.body)
      throw statusError('GET', response)
    }
    const headers = { 'content-length': String(entry.size) }
    // Where nothing is sent, nobody reads what was opened.
    const put = server.put(way.target, { body: response.body, headers })
    const answer = await put.finally(() => abandon(response.body))
    if (answer.status >= 300) throw statusError('PUT', answer)
    const there = requireEntry(await server.stat(way.target), 'the new object')
    const record = { version: store.versionOf(there), attributes }
    await store.save(way.target, place.path, {
      ...record,
      ...(uploadId !== undefined && { uploadId }),
    })
    await server.removeFile(path)
    return there
  }

  /** The object may be there or not: who comes next looks, and finishes it if need be. */
  #unsure(lease: KeyLease, cause: unknown): UnsettledMove {
    lease.leaveNote()
    const message = 'The WebDAV server does not say whether it has put the new object in its place.'
    return new UnsettledMove('unavailable', message, { cause })
  }

  async #hasAlternative(place: DavPlace): Promise<boolean> {
    return (await this.#parts.server.stat(place.alternative))?.isFolder === false
  }
}

function encodedLength(path: DavPath): number {
  return targetOf([], path).length
}

function isUnavailable(error: unknown): error is DriveError {
  return error instanceof DriveError && error.kind === 'unavailable'
}

function hasConditions(conditions: WriteConditions | undefined): boolean {
  return conditions?.ifMatch !== undefined || conditions?.ifNoneMatch !== undefined
}

/** The place that a note is about. */
export function placeOfNote(text: string, rules: NameRules): string {
  const note = JSON.parse(text) as PublishNote | TidyNote
  return 'aside' in note ? textOf(note.folder) : davPlaceOf(note.bucket, note.key, rules).path
}

/** The object that is being written by whoever has this note; undefined when it is none. */
export function targetOfNote(text: string): ObjectName | undefined {
  if (text === '') return undefined
  const note = JSON.parse(text) as PublishNote | TidyNote
  return 'aside' in note ? undefined : note
}
