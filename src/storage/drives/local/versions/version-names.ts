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

export const nullSuffix = '.null'
export const markerSuffix = '.deleted'
/** Between the order and another time. */
export const orderMark = '~'

const time = String.raw`\d{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3])(?:[0-5]\d){2}\.\d{3}Z`
const timePattern = new RegExp(`^${time}$`)
const namePattern = new RegExp(`^(${time})(?:~(${time}))?(\\.null)?(\\.deleted)?$`)

/**
 * A time as people read it and as it sorts: `20261128T101112.123Z`. With the whole milliseconds of its modification time, it
 * is the version ID of a file.
 *
 * @param timeMs milliseconds since the epoch, in the years 1 to 9999
 */
export function timeText(timeMs: number): string {
  const iso = new Date(Math.floor(timeMs)).toISOString()
  return `${iso.slice(0, 4)}${iso.slice(5, 7)}${iso.slice(8, 13)}${iso.slice(14, 16)}${iso.slice(17)}`
}

/** The inverse of `timeText`; undefined for any other text. */
export function timeIn(text: string): number | undefined {
  if (!timePattern.test(text)) return undefined
  const day = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 11)}`
  const timeMs = Date.parse(`${day}:${text.slice(11, 13)}:${text.slice(13)}`)
  // Not 30 February.
  return new Date(timeMs).getUTCDate() === Number(text.slice(6, 8)) ? timeMs : undefined
}

export function storedVersion(parts: NameParts): StoredVersion {
  const { order, time, isNull, isDeleteMarker } = parts
  const stem = order === time ? order : `${order}${orderMark}${time}`
  const name = `${stem}${isNull ? nullSuffix : ''}${isDeleteMarker ? markerSuffix : ''}`
  return { name, order, time, isNull, isDeleteMarker }
}

/** The version with this file name; undefined if it is the name of another file. A key may have many: it must be fast. */
export function versionNamed(name: string): StoredVersion | undefined {
  const match = namePattern.exec(name)
  if (match === null) return undefined
  const [, order = '', time = order, isNull, isDeleteMarker] = match
  // The order is never less than the time (orderAfter). Otherwise another version could have this ID and a greater name.
  if (match[2] !== undefined && match[2] >= order) return undefined
  const parts = { isNull: isNull !== undefined, isDeleteMarker: isDeleteMarker !== undefined }
  return { name, order, time, ...parts }
}

export function versionIdOf({ time, isNull }: Pick<StoredVersion, 'time' | 'isNull'>): string {
  return isNull ? nullVersionId : time
}

/** The names in the folder of a key's versions. A key may have 100,000, so nothing is made of most of them. */
export interface VersionNames {
  /** The newest first. @param below only names less than this */
  newestFirst(below?: string): Iterable<StoredVersion>
  /** Those with this text in their names, the newest first. */
  including(text: string): StoredVersion[]
}

/** The names in a folder of this size are read in a millisecond. */
export const smallFolderBytes = 64 * 1024

/** Each version of `newestFirst` takes a pass over all names, which only a few callers need. */
export function namesOf(names: readonly string[]): VersionNames {
  return {
    *newestFirst(below) {
      let newest = newestOf(names, below)
      for (; newest !== undefined; newest = newestOf(names, newest.name)) yield newest
    },
    including: (text) => versionsNamed(names.filter((name) => name.includes(text))),
  }
}

/** A name begins with its order, so names sort like versions. */
function newestOf(names: readonly string[], below: string | undefined): StoredVersion | undefined {
  let newest: StoredVersion | undefined
  for (const name of names) {
    if (below !== undefined && name >= below) continue
    if (newest === undefined || name > newest.name) newest = versionNamed(name) ?? newest
  }
  return newest
}

/** The versions among these names, the newest first. */
export function versionsNamed(names: readonly string[]): StoredVersion[] {
  const versions = names.map(versionNamed).filter((version) => version !== undefined)
  return versions.sort((a, b) => (a.name < b.name ? 1 : -1))
}

/** The newest first. */
export function versionsWithId(stored: VersionNames, versionId: string): StoredVersion[] {
  const found = stored.including(versionId === nullVersionId ? nullSuffix : versionId)
  return found.filter((version) => versionIdOf(version) === versionId)
}
