import type { LockRules } from '../drives/attributes.ts'
import type { Drive, ObjectName, RemovalConditions, WriteConditions } from '../drives/drive.ts'
import { DriveError } from '../drives/drive-error.ts'
import type { Removal, VersionEntry } from '../drives/versions.ts'
import type { Run } from './job-runner.ts'
import { type VersionWalk, visitAll, walkVersions, whileBusy, withinDriveTime } from './walk.ts'

/** Concurrent removals: each waits for the disk. */
const concurrency = 8

/** The maximum versions in memory. */
const batchSize = 200

/**
 * `live`: its object was not deleted. `marker`: a delete marker above all that is left of the object. `last`: what the object
 * was before. `older`: what is below that.
 */
type Role = 'live' | 'marker' | 'last' | 'older'

interface DeletedVersion {
  readonly version: VersionEntry
  /** The newest version of its key. */
  readonly newest: VersionEntry
  readonly role: Role
}

interface DeletedOptions {
  /** The key after which to stop. */
  readonly only?: string | undefined
  /** Whether older versions may be left out, of which a key may have any number. Those of live objects always may. */
  readonly skipsOlder?: boolean
}

/** All versions, with what they are for the deletion of their object. */
export async function* deletedVersions(
  walk: VersionWalk,
  { only, skipsOlder = false }: DeletedOptions,
): AsyncGenerator<DeletedVersion> {
  let before: DeletedVersion | undefined
  const continueWith = () => {
    const { role = 'marker', version } = before ?? {}
    const maySkip = role === 'live' || (skipsOlder && role !== 'marker')
    return maySkip && version ? `${version.key}\0` : undefined
  }
  for await (const page of walkVersions({ ...walk, continueWith })) {
    for (const version of page) {
      // Keys that begin with this one follow it.
      if (only !== undefined && version.key !== only) return
      const newer = before?.version.key === version.key ? before : undefined
      before = { version, newest: newer?.newest ?? version, role: roleOf(version, newer?.role) }
      yield before
    }
  }
}

function roleOf({ isLatest, isDeleteMarker }: VersionEntry, ofNewer: Role | undefined): Role {
  if (ofNewer === undefined) return isLatest && isDeleteMarker ? 'marker' : 'live'
  if (ofNewer === 'marker') return isDeleteMarker ? 'marker' : 'last'
  return ofNewer === 'live' ? 'live' : 'older'
}

interface DeletedChange {
  readonly bucket: string
  readonly prefix: string
  /** `undelete`: removes delete markers, so that deleted objects exist again. `erase`: removes all their versions. */
  readonly kind: 'undelete' | 'erase'
  /** Keys instead of the prefix. */
  readonly keys?: readonly string[] | undefined
  /** Only objects that were deleted at this time or later. */
  readonly sinceMs?: number | undefined
  readonly lock: LockRules | undefined
}

/** Somebody may restore an object that is being erased. */
const whileGone: Readonly<Record<DeletedChange['kind'], WriteConditions>> = {
  undelete: {},
  erase: { ifNoneMatch: '*' },
}

/** Restores deleted objects, or removes them permanently. Returns a user-facing message, or ''. */
export async function changeDeleted(
  drive: Pick<Drive, 'listVersions' | 'remove'>,
  change: DeletedChange,
  run: Run,
  figures: { done: number; skipped: number },
): Promise<string> {
  const { bucket, prefix, kind, keys, sinceMs = 0, lock } = change
  const assertMayGoOn = () => run.assertMayGoOn()
  /** Keys of which a version is locked: without its marker, it would be an object again. */
  const locked = new Set<string>()
  const removeOne = async ({ version: { key, versionId }, newest }: DeletedVersion) => {
    assertMayGoOn()
    const conditions = { versionId, ...(lock && { lock }), assertMayGoOn }
    const removal = () => removeVersion(drive, { bucket, key }, conditions, whileGone[kind])
    const remove = () => withinDriveTime(removal(), run.late)
    try {
      await whileBusy(remove, run.signal)
      if (versionId === newest.versionId) figures.done += 1
    } catch (error) {
      const kind = error instanceof DriveError ? error.kind : undefined
      if (kind === 'condition') return
      if (kind !== 'locked') throw error
      figures.skipped += 1
      locked.add(key)
    }
  }
  for (const place of keys ?? [prefix]) {
    const walk = { drive, bucket, prefix: place, signal: run.signal, assertMayGoOn }
    const skipsOlder = kind === 'undelete'
    const versions = deletedVersions(walk, { only: keys && place, skipsOlder })
    const chosen = kind === 'erase' ? erased(walk, versions) : markersAbove(walk, versions, sinceMs)
    for await (const batch of batches(chosen)) {
      const markers = batch.filter(({ role }) => role === 'marker')
      const others = batch.filter(({ role }) => role !== 'marker')
      await visitAll(others, concurrency, removeOne)
      const free = markers.filter(({ version }) => !locked.has(version.key))
      await visitAll(free, concurrency, removeOne)
      // Markers follow the other versions of their key.
      const last = batch.at(-1)?.version.key
      for (const key of locked) if (key !== last) locked.delete(key)
    }
  }
  return figures.skipped === 0 ? '' : `Object Lock keeps ${figures.skipped} of the versions.`
}

/** Removes a version if the current object is as it was when the version was chosen. */
export async function removeVersion(
  drive: Pick<Drive, 'remove'>,
  { bucket, key }: ObjectName,
  conditions: RemovalConditions,
  current: WriteConditions,
): Promise<Removal | undefined> {
  try {
    return await drive.remove(bucket, key, { ...conditions, ...current })
  } catch (error) {
    if (!(error instanceof DriveError) || error.kind !== 'not-implemented') throw error
    // A store that compares no ETags: the current object was looked at a moment ago.
    return await drive.remove(bucket, key, conditions)
  }
}

/** The markers of a key, until it is known whether they are removed. */
class Markers {
  readonly #walk: VersionWalk
  #held: DeletedVersion[] = []

  constructor(walk: VersionWalk) {
    this.#walk = walk
  }

  add(marker: DeletedVersion): void {
    if (this.#held.length <= batchSize) this.#held.push(marker)
  }

  /** If there are more than a batch, they are listed again: a key may have any number. */
  async *take(): AsyncGenerator<DeletedVersion> {
    const held = this.#held
    this.#held = []
    const key = held[batchSize]?.version.key
    if (key === undefined) return yield* held
    for await (const one of deletedVersions({ ...this.#walk, prefix: key }, { only: key })) {
      if (one.role !== 'marker') return
      yield one
    }
  }

  drop(): void {
    this.#held = []
  }
}

/** The markers without which deleted objects exist again. An object of which only markers are left has none. */
async function* markersAbove(
  walk: VersionWalk,
  versions: AsyncIterable<DeletedVersion>,
  sinceMs: number,
): AsyncGenerator<DeletedVersion> {
  const markers = new Markers(walk)
  for await (const one of versions) {
    const { version, newest, role } = one
    if (version === newest) markers.drop()
    if (role === 'marker') markers.add(one)
    else if (role === 'last' && isSince(newest.modifiedAtMs, sinceMs)) yield* markers.take()
  }
}

/** All versions of deleted objects, the markers of each last: without them, an older version would be the object again. */
async function* erased(
  walk: VersionWalk,
  versions: AsyncIterable<DeletedVersion>,
): AsyncGenerator<DeletedVersion> {
  const markers = new Markers(walk)
  for await (const one of versions) {
    if (one.version === one.newest) yield* markers.take()
    if (one.role === 'marker') markers.add(one)
    else if (one.role !== 'live') yield one
  }
  yield* markers.take()
}

async function* batches(
  items: AsyncIterable<DeletedVersion>,
): AsyncGenerator<readonly DeletedVersion[]> {
  let batch: DeletedVersion[] = []
  for await (const item of items) {
    if (batch.push(item) < batchSize) continue
    yield batch
    batch = []
  }
  yield batch
}

/** A store has whole seconds. */
function isSince(timeMs: number, sinceMs: number): boolean {
  return timeMs >= (timeMs % 1000 === 0 ? Math.floor(sinceMs / 1000) * 1000 : sinceMs)
}
