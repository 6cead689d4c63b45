import type { ObjectMetadata } from '../../drive.ts'
import { isNullAt, type Versioning } from '../../versions.ts'
import {
  markerSuffix,
  namesOf,
  nullSuffix,
  orderMark,
  type StoredVersion,
  storedVersion,
  timeIn,
  timeText,
  type VersionNames,
  versionIdOf,
  versionNamed,
  versionsNamed,
  versionsWithId,
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
  /** Without the current one, the newest first. @param below only those whose names are less */
  newestFirst(below?: string): Iterable<StoredVersion>
  withId(versionId: string): StoredVersion | undefined
  /** What steps that were not completed have left, and no version. It may be removed, the newest first. */
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
 */
export function countVersions(
  current: CurrentVersion | undefined,
  stored: VersionNames,
): CountedVersions {
  const leftovers = leftoversOf(current, stored)
  const unused = new Set(leftovers.map(({ name }) => name))
  const ownId = current && versionIdOf(current)
  const mayCount = (one: StoredVersion) =>
    !unused.has(one.name) && !isStoredCurrent(current, one) && versionIdOf(one) !== ownId
  let newestNames: ReadonlyMap<string, string> | undefined
  const counts = (one: StoredVersion) => {
    if (!mayCount(one)) return false
    newestNames ??= newestOfRepeated(stored, mayCount)
    return (newestNames.get(versionIdOf(one)) ?? '') <= one.name
  }
  return {
    leftovers,
    *newestFirst(below) {
      let lastId = below && idNamed(below)
      for (const one of stored.newestFirst(below)) {
        // A marker and a file with one time, of which one was put there by hand, are next to each other.
        if (!counts(one) || versionIdOf(one) === lastId) continue
        lastId = versionIdOf(one)
        yield one
      }
    },
    withId: (versionId) => versionsWithId(stored, versionId).find(counts),
  }
}

function idNamed(name: string): string | undefined {
  const version = versionNamed(name)
  return version && versionIdOf(version)
}

function leftoversOf(current: CurrentVersion | undefined, stored: VersionNames): StoredVersion[] {
  if (current === undefined) return []
  const [first, second] = stored.newestFirst()
  const isLink = (one: StoredVersion) => !one.isDeleteMarker && current.isSameFile(one)
  const found = [first, second].filter((one) => one !== undefined && isLink(one))
  const isUncommitted =
    first?.isDeleteMarker && second && (isLink(second) || isStoredCurrent(current, second))
  if (isUncommitted) found.push(first)
  const nulls = current.isNull ? stored.including(nullSuffix + markerSuffix) : []
  const names = [...found, ...nulls].map((one) => one?.name ?? '')
  return versionsNamed([...new Set(names)])
}

function isStoredCurrent(current: CurrentVersion | undefined, one: StoredVersion): boolean {
  return !one.isDeleteMarker && one.time === current?.time
}

/**
 * The names of the newest versions with IDs that another name may have: only if one of the two has another order than its
 * time, or if they are `null`.
 */
function newestOfRepeated(
  stored: VersionNames,
  mayCount: (one: StoredVersion) => boolean,
): ReadonlyMap<string, string> {
  const repeated = [orderMark, nullSuffix].flatMap((part) => stored.including(part))
  const oldestFirst = repeated.filter(mayCount).sort((a, b) => (a.name < b.name ? -1 : 1))
  return new Map(oldestFirst.map((one) => [versionIdOf(one), one.name]))
}

/**
 * The name under which to store the current version before it is replaced or removed. Undefined if it is lost, because it is
 * `null`, as the next version is.
 *
 * @param stored without leftovers
 * @param byNull whether the next version is `null`
 */
export function archivedAs(
  current: Pick<CurrentVersion, 'time' | 'isNull'>,
  stored: VersionNames,
  byNull: boolean,
): StoredVersion | undefined {
  if (current.isNull && byNull) return undefined
  const { time } = current
  // A file with an old time that was put there by hand must not take the place of the stored version `null`, of which it may
  // also be a copy.
  const isNull = current.isNull && stored.including(nullSuffix).every((one) => one.time === time)
  return storedVersion({ order: orderAfter(stored, time), time, isNull, isDeleteMarker: false })
}

/**
 * As `archivedAs`, for the common case, in which nothing else has to be done. Undefined in any other case.
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
  if (isNullTime(versioning, time) || current.time >= time) return undefined
  // The current version may be stored already.
  const rare = [time, current.time, ...(current.isNull ? [nullSuffix] : [])]
  if (names.some((name) => rare.some((part) => name.includes(part)))) return undefined
  const stored = namesOf(names)
  const [newest] = stored.newestFirst()
  const isSimple = !newest?.isDeleteMarker && !(newest && current.isSameFile(newest))
  return isSimple && (newest?.order ?? '') < time ? archivedAs(current, stored, false) : undefined
}

/** A new delete marker, whose ID is not that of any version. */
export function newMarker(stored: VersionNames, timeMs: number, isNull: boolean): StoredVersion {
  const time = freeTime(stored, timeMs)
  return storedVersion({ order: orderAfter(stored, time), time, isNull, isDeleteMarker: true })
}

/** Whether a new file with this time would have the ID of another version. */
export function isTaken(
  current: Pick<CurrentVersion, 'time'> | undefined,
  stored: VersionNames,
  time: string,
): boolean {
  return current?.time === time || stored.including(time).some((one) => one.time === time)
}

export function isNullTime(versioning: Versioning, time: string): boolean {
  return isNullAt(versioning, timeIn(time) ?? 0)
}

/** From here on, a time has no text that `timeIn` reads. */
const noTextMs = Date.UTC(10_000, 0)

/** As isNullTime of the text of the file's time, which each GET and each entry of a listing would parse again. */
export function isNullFile(
  versioning: Versioning,
  { modifiedAtMs }: { modifiedAtMs: number },
): boolean {
  return isNullAt(versioning, modifiedAtMs < noTextMs ? Math.floor(modifiedAtMs) : 0)
}

/** The time after which a new file must be, whatever the clock of this machine says. */
export function lastChangeMs(versioning: Versioning | undefined): number | undefined {
  return versioning?.begunMs ?? versioning?.changes.at(-1)
}

/** The object's metadata with its version ID, if its bucket has or had versions. */
export function withVersionId<Metadata extends ObjectMetadata>(
  versioning: Versioning | undefined,
  metadata: Metadata,
): Metadata {
  if (versioning === undefined) return metadata
  const time = timeText(metadata.modifiedAtMs)
  return { ...metadata, versionId: versionIdOf({ time, isNull: isNullFile(versioning, metadata) }) }
}

/** This time, or that after the newest version if it is not later: clocks differ, and a file may have any time. */
function orderAfter(stored: VersionNames, time: string): string {
  const [newest] = stored.newestFirst()
  if (newest === undefined || newest.order < time) return time
  // In the last millisecond of the year 9999, names with the same order are ordered by their times.
  const lastMs = timeIn('99991231T235959.999Z') ?? 0
  return timeText(Math.min((timeIn(newest.order) ?? 0) + 1, lastMs))
}

function freeTime(stored: VersionNames, timeMs: number): string {
  let free = timeMs
  while (isTaken(undefined, stored, timeText(free))) free += 1
  return timeText(free)
}
