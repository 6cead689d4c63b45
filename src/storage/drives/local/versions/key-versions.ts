import type { Stats } from 'node:fs'
import type { VersionEntry } from '../../versions.ts'
import { concurrentLooks } from '../folders/listing.ts'
import type { LastFolder } from '../folders/open-folder.ts'
import { historyPathOf, localPathOf, type ObjectPath } from '../object-path.ts'
import type { StampedFile } from '../objects/attribute-cache.ts'
import { describe, isSameFile } from '../objects/file-identity.ts'
import type { Paced } from '../objects/paced-files.ts'
import type { OpenDrive } from '../open-drive.ts'
import { type CurrentFile, currentFile, readVersions } from './stored-versions.ts'
import { type StoredVersion, timeIn, timeText, versionIdOf } from './version-names.ts'

/** How often to read a key that others change meanwhile. */
const attempts = 4

/** A listed version whose attributes have not been read. A marker has no file. */
export interface ListedVersion extends Omit<VersionEntry, 'etag' | 'storageClass'> {
  readonly file?: StampedFile
}

/** A version whose file has not been looked at. The object's own file has no name in the store. */
type RankedVersion = Omit<ListedVersion, 'size' | 'modifiedAtMs' | 'file'> & {
  readonly stored: StoredVersion | undefined
  /** Whether a newer version is known. */
  readonly isReplaced: boolean
}

/** The version of a key that has a file alone. */
export function onlyVersion(key: string, file: StampedFile, isNull: boolean): ListedVersion {
  const { size, modifiedAtMs } = file
  const versionId = versionIdOf({ time: timeText(modifiedAtMs), isNull })
  return {
    ...{ kind: 'object', key, versionId, isLatest: true, isDeleteMarker: false },
    ...{ size, modifiedAtMs, file },
  }
}

interface ListedKeys {
  readonly drive: OpenDrive
  readonly bucket: string
  /** Of the key's file. */
  readonly folder: LastFolder
}

/** All versions of one key, the newest first. Those that `take` returns are looked at then. */
export class KeyVersions {
  readonly key: string
  readonly #drive: OpenDrive
  readonly #objectPath: ObjectPath
  /** Of the stored versions. */
  readonly #folder: string
  readonly #current: StampedFile | undefined
  readonly #versions: Iterator<RankedVersion>
  #next: IteratorResult<RankedVersion>

  private constructor(
    drive: OpenDrive,
    objectPath: ObjectPath,
    current: StampedFile | undefined,
    versions: Iterator<RankedVersion>,
  ) {
    this.key = objectPath.key
    this.#drive = drive
    this.#objectPath = objectPath
    this.#folder = historyPathOf(objectPath).filePath.folder
    this.#current = current
    this.#versions = versions
    this.#next = versions.next()
  }

  /**
   * @param after only versions that are older than this one. If it was removed: those that were stored before, as far as its
   *   ID says when
   */
  static async open(keys: ListedKeys, key: string, after?: string): Promise<KeyVersions> {
    const { drive, bucket } = keys
    const objectPath = localPathOf(bucket, key)
    const { hasBirthtime } = drive.root
    for (let attempt = 1; ; attempt++) {
      const file = await fileOf(keys, objectPath)
      const found = await readVersions(drive, objectPath, file?.stats)
      const now = await fileOf(keys, objectPath)
      const isSame =
        file === undefined || now === undefined
          ? file === now
          : isSameFile(now.stats, file.stats, hasBirthtime)
      // A version may have become the current one, or a former one, meanwhile.
      if (!isSame && attempt < attempts) continue
      const stamp = file && { ...describe(file.stats, drive.root), path: objectPath.path }
      return new KeyVersions(drive, objectPath, stamp, ranked(key, found, after))
    }
  }

  get isEmpty(): boolean {
    return this.#next.done === true
  }

  async take(limit: number): Promise<ListedVersion[]> {
    const listed: ListedVersion[] = []
    for (let left = limit; left > 0 && !this.#next.done; ) {
      const looks: Paced<ListedVersion | undefined>[] = []
      for (; looks.length < Math.min(left, concurrentLooks) && !this.#next.done; ) {
        looks.push(this.#look(this.#next.value))
        this.#next = this.#versions.next()
      }
      left -= looks.length
      for (const version of await Promise.all(looks)) if (version) listed.push(version)
    }
    return listed
  }

  /**
   * Undefined if it was removed meanwhile. The store is private, so its folder need not be opened, which would take as long as
   * two look-ups, and each look-up through it twice as long.
   */
  #look({ stored, isReplaced, ...version }: RankedVersion): Paced<ListedVersion | undefined> {
    if (stored?.isDeleteMarker)
      return { ...version, size: 0, modifiedAtMs: timeIn(stored.time) ?? 0 }
    if (stored === undefined) return withFile(version, this.#current)
    const { root } = this.#drive
    const stats = root.files.lstat(`${root.path}/${this.#folder}/${stored.name}`)
    const found = (stats: Stats | undefined) =>
      stats?.isFile()
        ? withFile(
            { ...(isReplaced && storedAt(stored, stats)), ...version },
            { ...describe(stats, root), path: this.#objectPath.path },
          )
        : undefined
    return stats instanceof Promise ? stats.then(found) : found(stats)
  }
}

function withFile(
  version: Omit<RankedVersion, 'stored' | 'isReplaced'>,
  file: StampedFile | undefined,
): ListedVersion | undefined {
  return file && { ...version, size: file.size, modifiedAtMs: file.modifiedAtMs, file }
}

/** Looks in the folder that is open, which most keys have in common. */
async function fileOf(
  { drive, folder }: ListedKeys,
  objectPath: ObjectPath,
): Promise<CurrentFile | undefined> {
  const filePath = objectPath.natural
  const open = await folder.open(filePath.folder)
  const stats = open && (await drive.root.files.lstat(open.at(filePath.name)))
  if (stats?.isFile()) return { filePath, stats }
  // The folder may have been removed, and made again with the file, since it was opened.
  return await currentFile(drive.root, objectPath)
}

type FoundVersions = Awaited<ReturnType<typeof readVersions>>

/** @param after see `KeyVersions.open` */
function* ranked(key: string, found: FoundVersions, after = ''): Generator<RankedVersion> {
  const own = found.current && {
    ...found.current,
    order: found.current.time,
    isDeleteMarker: false,
  }
  const isAfterOwn = own !== undefined && versionIdOf(own) === after
  const listed = isAfterOwn ? undefined : found.withId(after)
  // A name begins with its order.
  const below = listed?.name ?? (isAfterOwn || timeIn(after) === undefined ? undefined : after)
  const isOwnFirst = !isAfterOwn && !listed && own !== undefined && own.order < (below ?? '~')
  const [newest] = found.newestFirst()
  let newer: Pick<StoredVersion, 'order' | 'time'> | undefined = isAfterOwn ? own : listed
  function rank(version: Omit<StoredVersion, 'name'>, stored?: StoredVersion): RankedVersion {
    const { isDeleteMarker } = version
    const isNewest = own === undefined && stored?.name === newest?.name
    const isReplaced = newer !== undefined
    const replacedAtMs = newer && replacedAt(newer, version)
    newer = version
    return {
      ...{
        kind: 'object',
        key,
        versionId: versionIdOf(version),
        isDeleteMarker,
        stored,
        isReplaced,
      },
      isLatest: stored === undefined || (isDeleteMarker && isNewest),
      ...(replacedAtMs !== undefined && { replacedAtMs }),
    }
  }
  if (isOwnFirst) yield rank(own)
  for (const stored of found.newestFirst(below)) yield rank(stored, stored)
}

/**
 * When it was stored, or later: that changed the file, which was current until then. Undefined on a file system that keeps no
 * such time, and if the clock was wrong.
 */
function storedAt({ order }: StoredVersion, { ctimeMs }: Stats) {
  return Math.floor(ctimeMs) > (timeIn(order) ?? 0) ? { replacedAtMs: ctimeMs } : undefined
}

/** Undefined if the newer one was put there by hand, or by a wrong clock. */
function replacedAt(
  newer: Pick<StoredVersion, 'order' | 'time'>,
  { order }: Pick<StoredVersion, 'order'>,
): number | undefined {
  return newer.order === newer.time && newer.time > order ? timeIn(newer.time) : undefined
}
