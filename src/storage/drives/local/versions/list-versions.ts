import { TurnTaker } from '../../../../platform/process/turn-taker.ts'
import { compareKeys } from '../../../../platform/text/key-order.ts'
import { isLegalKey } from '../../kit/names/key-path.ts'
import { type FolderEntry, type ListedAttributes, listedAttributes } from '../../listed-entry.ts'
import type { VersionCursor, VersionEntry, VersionQuery } from '../../versions.ts'
import {
  attributesOf,
  type LocalCandidate,
  listFailure,
  lookAtAll,
  openCandidateCursor,
} from '../folders/listing.ts'
import { LastFolder } from '../folders/open-folder.ts'
import { requireOwnFolder } from '../local-root.ts'
import { historyPathOf, versionStoreOf } from '../object-path.ts'
import type { StampedFile } from '../objects/attribute-cache.ts'
import type { OpenDrive } from '../open-drive.ts'
import { isNullFile } from './counted-versions.ts'
import { KeyVersions, type ListedVersion, onlyVersion } from './key-versions.ts'

/** Keys read ahead of their versions. */
const aheadLimit = 200
/** Versions of a key that seemed to have one. */
const batchLimit = 1_000

/** The clocks of gateways may differ by this. */
const clocksDifferMs = 60_000

type Candidate = LocalCandidate | FolderEntry

/** As Drive.listVersions. */
export function openVersionCursor(
  drive: OpenDrive,
  bucket: string,
  query: VersionQuery,
): VersionCursor {
  const merged = new MergedVersions(drive, bucket, query)
  return {
    next: (limit) =>
      merged.next(limit).catch((error: unknown) => {
        throw listFailure(drive, bucket, error)
      }),
    seek: (key) => merged.seek(key),
  }
}

/**
 * Merges the keys that have a file with those that have a folder in the version store. Both are in key order, so it holds
 * some names of both, and the versions of one key.
 */
class MergedVersions {
  readonly #drive: OpenDrive
  readonly #bucket: string
  readonly #query: VersionQuery
  /** Closed whenever `next` is complete. */
  readonly #folder: LastFolder
  readonly #files: AheadCursor
  readonly #histories: AheadCursor
  /** A folder that the cursors may return once more. */
  #lead: string | undefined
  /** The key whose versions are not all returned yet. */
  #open: KeyVersions | undefined
  /** Found, but not returned yet. */
  #rest: (ListedVersion | FolderEntry)[] = []
  /** Files with a later time may have been written since the folders were read. */
  readonly #recentMs = Date.now() - clocksDifferMs
  #isStarted = false
  #hasFound = false

  constructor(drive: OpenDrive, bucket: string, query: VersionQuery) {
    this.#drive = drive
    this.#bucket = bucket
    this.#query = query
    this.#folder = new LastFolder(drive.root)
    this.#files = new AheadCursor(openCandidateCursor(drive, bucket, query))
    this.#histories = new AheadCursor(openCandidateCursor(drive, versionStoreOf(bucket), query))
  }

  seek(key: string): void {
    if (!this.#isStarted && compareKeys(key, this.#query.after) > 0) this.#isStarted = true
    if (this.#open !== undefined && compareKeys(this.#open.key, key) < 0) this.#open = undefined
    this.#rest = this.#rest.filter((one) => compareKeys(one.key, key) >= 0)
    this.#files.seek(key)
    this.#histories.seek(key)
  }

  async next(limit: number): Promise<(VersionEntry | FolderEntry)[]> {
    const turns = new TurnTaker()
    const listed = await this.#collect(limit, turns).finally(() => this.#folder.close())
    this.#rest = listed.splice(limit)
    this.#hasFound ||= listed.length > 0
    if (!this.#hasFound) await requireOwnFolder(this.#drive.root)
    return await this.#described(listed, turns)
  }

  async #collect(limit: number, turns: TurnTaker): Promise<(ListedVersion | FolderEntry)[]> {
    const listed = this.#rest
    if (!this.#isStarted) listed.push(...(await this.#start()))
    while (listed.length < limit) {
      this.#query.signal?.throwIfAborted()
      const more = await this.#more(limit - listed.length, turns)
      if (more === undefined) break
      listed.push(...more)
      const pause = turns.step()
      if (pause !== undefined) await pause
    }
    return listed
  }

  async #versionsOf(key: string, after?: string): Promise<KeyVersions> {
    const keys = { drive: this.#drive, bucket: this.#bucket, folder: this.#folder }
    return await KeyVersions.open(keys, key, after)
  }

  /** Opens the key in the middle of whose versions the listing begins, or returns the folder in which it is. */
  async #start(): Promise<FolderEntry[]> {
    this.#isStarted = true
    const { after, afterVersionId, prefix, delimiter } = this.#query
    if (afterVersionId === undefined || !isLegalKey(after) || !after.startsWith(prefix)) return []
    const open = await this.#versionsOf(after, afterVersionId)
    if (open.isEmpty) return []
    const end = delimiter === undefined ? -1 : after.indexOf(delimiter, prefix.length)
    if (end < 0) this.#open = open
    else if (end + 1 < after.length) this.#lead = after.slice(0, end + 1)
    return this.#lead === undefined ? [] : [{ kind: 'folder', key: this.#lead }]
  }

  /** Undefined at the end. Empty if a key has no versions any more. */
  async #more(limit: number, turns: TurnTaker) {
    if (this.#open !== undefined) {
      const versions = await this.#open.take(limit)
      if (this.#open.isEmpty) this.#open = undefined
      return versions
    }
    const file = await this.#files.peek(this.#lead)
    const history = await this.#histories.peek(this.#lead)
    if (history === undefined || (file && compareKeys(file.key, history.key) < 0)) {
      if (file === undefined) return undefined
      return await this.#filesBefore(history?.key, limit, turns)
    }
    this.#histories.skip()
    if (file?.key === history.key) this.#files.skip()
    if (history.kind === 'folder') return [history]
    this.#open = await this.#versionsOf(history.key)
    return []
  }

  /** Keys with a file alone, which are looked at together. */
  async #filesBefore(end: string | undefined, limit: number, turns: TurnTaker) {
    const candidates: Candidate[] = []
    for (let file = await this.#files.peek(); file !== undefined; file = await this.#files.peek()) {
      if (candidates.length === limit || (end !== undefined && compareKeys(file.key, end) >= 0))
        break
      candidates.push(file)
      this.#files.skip()
    }
    const files = await lookAtAll(this.#drive, this.#bucket, candidates, turns)
    const listed: (ListedVersion | FolderEntry)[] = []
    for (const [index, candidate] of candidates.entries()) {
      const file = files[index]
      if (candidate.kind === 'folder') listed.push(candidate)
      else if (await this.#mayBeStored(candidate.key, file)) {
        const versions = await this.#versionsOf(candidate.key)
        listed.push(...(await versions.take(batchLimit)))
      } else if (file) listed.push(onlyVersion(candidate.key, file, this.#isNull(file)))
    }
    return listed
  }

  /** Whether a key may have got its first former version since the folders were read. */
  async #mayBeStored(key: string, file: StampedFile | undefined): Promise<boolean> {
    if (file !== undefined && file.modifiedAtMs < this.#recentMs) return false
    const { root } = this.#drive
    const { folder } = historyPathOf({ bucket: this.#bucket, key }).filePath
    return (await root.files.lstat(`${root.path}/${folder}`)) !== undefined
  }

  #isNull(file: StampedFile): boolean {
    const versioning = this.#drive.versioningOf(this.#bucket)
    return versioning === undefined || isNullFile(versioning, file)
  }

  async #described(
    listed: readonly (ListedVersion | FolderEntry)[],
    turns: TurnTaker,
  ): Promise<(VersionEntry | FolderEntry)[]> {
    const files = listed.flatMap((one) => (one.kind === 'object' && one.file ? [one.file] : []))
    const attributes = await attributesOf(this.#drive, files, turns)
    let next = 0
    return listed.map((one) => {
      if (one.kind === 'folder') return { kind: 'folder', key: one.key }
      const { file, ...version } = one
      const own: ListedAttributes = (file && attributes[next++]) ?? { etag: '' }
      return { ...version, ...listedAttributes(own) }
    })
  }
}

type CandidateCursor = ReturnType<typeof openCandidateCursor>

/** Reads candidates in batches, and shows the next one. */
class AheadCursor {
  readonly #cursor: CandidateCursor
  #batch: Candidate[] = []
  #position = 0
  #hasEnded = false

  constructor(cursor: CandidateCursor) {
    this.#cursor = cursor
  }

  /** @param except a key to skip */
  async peek(except?: string): Promise<Candidate | undefined> {
    if (this.#position === this.#batch.length && !this.#hasEnded) {
      this.#batch = await this.#cursor.next(aheadLimit)
      this.#position = 0
      this.#hasEnded = this.#batch.length === 0
    }
    const next = this.#batch[this.#position]
    if (next === undefined || next.key !== except) return next
    this.skip()
    return await this.peek()
  }

  skip(): void {
    this.#position += 1
  }

  seek(key: string): void {
    const isBefore = (candidate: Candidate | undefined) =>
      candidate !== undefined && compareKeys(candidate.key, key) < 0
    while (isBefore(this.#batch[this.#position])) this.#position += 1
    if (this.#position === this.#batch.length) this.#cursor.seek(key)
  }
}
