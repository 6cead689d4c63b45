import { nullVersionId } from '../../versions.ts'

/**
 * A former version or delete marker of a key, as its file name says it: `<order>~<time>.null.deleted`, of which all but
 * `<order>` may be missing. So a copy of the drive without its database keeps IDs, order and markers.
 */
export interface StoredVersion {
  readonly name: string
  /** A text of a time, see `timeText`. A version that was published later has a greater one, whatever the clocks said. */
  readonly order: string
  /** The modification time of the file when it was stored. The same as `order` unless the name has another one. */
  readonly time: string
  readonly isNull: boolean
  readonly isDeleteMarker: boolean
}

type NameParts = Omit<StoredVersion, 'name'>

const nullSuffix = '.null'
const markerSuffix = '.deleted'

const namePattern = /^(\d{8}T\d{6}\.\d{3}Z)(?:~(\d{8}T\d{6}\.\d{3}Z))?(\.null)?(\.deleted)?$/
const timePattern = /^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d\.\d{3}Z)$/

/**
 * A time as people read it and as it sorts: `20261128T101112.123Z`. With the whole milliseconds of its modification time, it
 * is the version ID of a file.
 *
 * @param timeMs milliseconds since the epoch, in the years 1 to 9999
 */
export function timeText(timeMs: number): string {
  return new Date(Math.floor(timeMs)).toISOString().replace(/[-:]/g, '')
}

/** The inverse of `timeText`; undefined for any other text. */
export function timeIn(text: string): number | undefined {
  const timeMs = Date.parse(text.replace(timePattern, '$1-$2-$3:$4:$5'))
  return Number.isNaN(timeMs) || timeText(timeMs) !== text ? undefined : timeMs
}

export function storedVersion(parts: NameParts): StoredVersion {
  const { order, time, isNull, isDeleteMarker } = parts
  const stem = order === time ? order : `${order}~${time}`
  const name = `${stem}${isNull ? nullSuffix : ''}${isDeleteMarker ? markerSuffix : ''}`
  return { name, order, time, isNull, isDeleteMarker }
}

/** The version with this file name; undefined if it is the name of another file. */
export function versionNamed(name: string): StoredVersion | undefined {
  const [, order = '', time = order, isNull, isDeleteMarker] = namePattern.exec(name) ?? []
  if (timeIn(order) === undefined || timeIn(time) === undefined) return undefined
  const version = storedVersion({
    ...{ order, time },
    isNull: isNull !== undefined,
    isDeleteMarker: isDeleteMarker !== undefined,
  })
  return version.name === name ? version : undefined
}

export function versionIdOf({ time, isNull }: Pick<StoredVersion, 'time' | 'isNull'>): string {
  return isNull ? nullVersionId : time
}

/** The versions among these file names, the newest first. */
export function versionsNamed(names: readonly string[]): StoredVersion[] {
  return newestFirst(names.map(versionNamed).filter((version) => version !== undefined))
}

export function newestFirst(versions: readonly StoredVersion[]): StoredVersion[] {
  return versions.toSorted((a, b) => compare(b.order, a.order) || compare(b.name, a.name))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
