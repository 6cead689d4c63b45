import type { ObjectMetadata } from '../../drive.ts'
import { isEnabled, isNullAt, type Versioning, type VersioningOf } from '../../versions.ts'
import {
  newestNamed,
  type StoredVersion,
  storedVersion,
  timeIn,
  timeText,
  versionIdOf,
} from './version-names.ts'

/** The object's file of this moment, at the path of its key. */
export interface CurrentVersion {
  /** The text of its modification time. */
  readonly time: string
  readonly isNull: boolean
  /** Whether a stored version is another name of the same file. Only the two newest are asked for. */
  isSameFile(version: StoredVersion): boolean
}

interface CountedVersions {
  /** Without the current one, the newest first. */
  readonly counted: readonly StoredVersion[]
  /** What steps that were not completed have left, and no version. It may be removed. */
  readonly leftovers: readonly StoredVersion[]
}

/**
 * The former versions among what is stored. Between any two steps of a change, and after a kill there, they are those before
 * the change or those after it (docs/paths/publishing-a-file.md):
 *
 * - The current version may be stored already, or still. It is the same file, or, where files have one name only, a copy with
 *   the same time. A person may also have copied it back.
 * - A marker that was stored after the current version has no effect before that file is removed.
 * - Only the newest version with an ID counts.
 *
 * @param stored the newest first
 */
export function countVersions(
  current: CurrentVersion | undefined,
  stored: readonly StoredVersion[],
): CountedVersions {
  const newest = stored.slice(0, 2)
  const links = current
    ? newest.filter((one) => !one.isDeleteMarker && current.isSameFile(one))
    : []
  const isCurrent = (one: StoredVersion | undefined) =>
    one !== undefined && !one.isDeleteMarker && (links.includes(one) || one.time === current?.time)
  const [first, second] = stored
  const isUncommitted = first?.isDeleteMarker === true && isCurrent(second)
  const leftovers = stored.filter(
    (one) =>
      links.includes(one) ||
      (one === first && isUncommitted) ||
      (current?.isNull === true && one.isNull && one.isDeleteMarker),
  )
  const seen = new Set(current && [versionIdOf(current)])
  const counted = stored.filter((one) => {
    if (leftovers.includes(one) || isCurrent(one) || seen.has(versionIdOf(one))) return false
    seen.add(versionIdOf(one))
    return true
  })
  return { counted, leftovers }
}

/**
 * The name under which to store the current version before it is replaced or removed. Undefined if it is lost, because it is
 * `null`, as the next version is.
 *
 * @param stored without leftovers, the newest first
 */
export function archivedAs(
  current: Pick<CurrentVersion, 'time' | 'isNull'>,
  stored: readonly StoredVersion[],
  versioning: Versioning,
): StoredVersion | undefined {
  if (current.isNull && !isEnabled(versioning)) return undefined
  const { time } = current
  // A file with an old time that was put there by hand must not take the place of the stored version `null`, of which it may
  // also be a copy.
  const isNull = current.isNull && !stored.some((one) => one.isNull && one.time !== time)
  return storedVersion({ order: orderAfter(stored, time), time, isNull, isDeleteMarker: false })
}

/**
 * As `archivedAs`, for the common case, in which nothing else has to be done, and which needs only the newest version.
 * Undefined in any other case.
 *
 * @param names of all files in the folder of the versions
 * @param time of the new version
 */
export function archivedSimply(
  current: CurrentVersion,
  names: readonly string[],
  versioning: Versioning,
  time: string,
): StoredVersion | undefined {
  if (!isEnabled(versioning) || current.isNull || current.time >= time) return undefined
  // The current version may be stored already.
  if (names.some((name) => name.includes(time) || name.includes(current.time))) return undefined
  const newest = newestNamed(names)
  if (newest === undefined) return archivedAs(current, [], versioning)
  if (newest.isDeleteMarker || newest.order >= time || current.isSameFile(newest)) return undefined
  return archivedAs(current, [newest], versioning)
}

/** A new delete marker, whose ID is not that of any version. */
export function newMarker(
  stored: readonly StoredVersion[],
  versioning: Versioning,
  timeMs: number,
): StoredVersion {
  const time = freeTime(stored, timeMs)
  const isNull = !isEnabled(versioning)
  return storedVersion({ order: orderAfter(stored, time), time, isNull, isDeleteMarker: true })
}

/** Whether a new file with this time would have the ID of another version. */
export function isTaken(
  current: Pick<CurrentVersion, 'time'> | undefined,
  stored: readonly StoredVersion[],
  time: string,
): boolean {
  return current?.time === time || stored.some((version) => version.time === time)
}

export function isNullTime(versioning: Versioning, time: string): boolean {
  return isNullAt(versioning, timeIn(time) ?? 0)
}

/** The object's metadata with its version ID, if its bucket has or had versions. */
export function withVersionId<Metadata extends ObjectMetadata>(
  { versioningOf }: { readonly versioningOf: VersioningOf },
  { bucket }: { readonly bucket: string },
  metadata: Metadata,
): Metadata {
  const versioning = versioningOf(bucket)
  if (versioning === undefined) return metadata
  const time = timeText(metadata.modifiedAtMs)
  return { ...metadata, versionId: versionIdOf({ time, isNull: isNullTime(versioning, time) }) }
}

/** This time, or that after the newest version if it is not later: clocks differ, and a file may have any time. */
function orderAfter([newest]: readonly StoredVersion[], time: string): string {
  if (newest === undefined || newest.order < time) return time
  // In the last millisecond of the year 9999, names with the same order are ordered by their times.
  const lastMs = timeIn('99991231T235959.999Z') ?? 0
  return timeText(Math.min((timeIn(newest.order) ?? 0) + 1, lastMs))
}

function freeTime(stored: readonly StoredVersion[], timeMs: number): string {
  let free = timeMs
  while (isTaken(undefined, stored, timeText(free))) free += 1
  return timeText(free)
}
