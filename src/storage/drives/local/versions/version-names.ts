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

const time = String.raw`\d{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3])(?:[0-5]\d){2}\.\d{3}Z`
const namePattern = new RegExp(`^(${time})(?:~(${time}))?(\\.null)?(\\.deleted)?$`)
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

/** The version with this file name; undefined if it is the name of another file. A key may have many: it must be fast. */
export function versionNamed(name: string): StoredVersion | undefined {
  const match = namePattern.exec(name)
  if (match === null) return undefined
  const [, order = '', time = order, isNull, isDeleteMarker] = match
  // It would have two names.
  if (match[2] === order) return undefined
  const parts = { isNull: isNull !== undefined, isDeleteMarker: isDeleteMarker !== undefined }
  return { name, order, time, ...parts }
}

export function versionIdOf({ time, isNull }: Pick<StoredVersion, 'time' | 'isNull'>): string {
  return isNull ? nullVersionId : time
}

/** The versions among these file names, the newest first: `order` begins each name, and always has the same length. */
export function versionsNamed(names: readonly string[]): StoredVersion[] {
  const sorted = names.toSorted().reverse()
  return sorted.map(versionNamed).filter((version) => version !== undefined)
}

/** The newest version among these file names. Unlike `versionsNamed`, it parses hardly any other name. */
export function newestNamed(names: readonly string[]): StoredVersion | undefined {
  let newest: StoredVersion | undefined
  for (const name of names) {
    if (newest === undefined || name > newest.name) newest = versionNamed(name) ?? newest
  }
  return newest
}

/**
 * As `versionsNamed`, but only the two newest and those with this ID. A key may have 100,000 versions, and a request for one of
 * them must not hold all.
 */
export function versionsNamedFor(versionId: string, names: readonly string[]): StoredVersion[] {
  const part = versionId === nullVersionId ? nullSuffix : versionId
  // A name begins with its order, so names sort like versions.
  const newest: StoredVersion[] = []
  const found: StoredVersion[] = []
  for (const name of names) {
    const [, second] = newest
    const isNewer = second === undefined || name > second.name
    if (!isNewer && !name.includes(part)) continue
    const version = versionNamed(name)
    if (version === undefined) continue
    if (versionIdOf(version) === versionId) found.push(version)
    if (isNewer) newest.splice(0, 2, ...newestFirst([...newest, version]).slice(0, 2))
  }
  return newestFirst([...new Set([...newest, ...found])])
}

export function newestFirst(versions: readonly StoredVersion[]): StoredVersion[] {
  return versions.toSorted((a, b) => compare(b.order, a.order) || compare(b.name, a.name))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
