import type { VersionEntry } from '../../versions.ts'
import { OpenFolder } from '../folders/open-folder.ts'
import { historyPathOf, localPathOf, type ObjectPath } from '../object-path.ts'
import type { StampedFile } from '../objects/attribute-cache.ts'
import { describe, isSameFile } from '../objects/file-identity.ts'
import type { OpenDrive } from '../open-drive.ts'
import { currentFile, readVersions } from './stored-versions.ts'
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

/** All versions of one key, the newest first. Those that `take` returns are looked at then. */
export class KeyVersions {
  readonly key: string
  readonly #drive: OpenDrive
  readonly #objectPath: ObjectPath
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
    this.#current = current
    this.#versions = versions
    this.#next = versions.next()
  }

  /**
   * @param after only versions that are older than this one. If it was removed: those that were stored before, as far as its
   *   ID says when
   */
  static async open(
    drive: OpenDrive,
    bucket: string,
    key: string,
    after?: string,
  ): Promise<KeyVersions> {
    const objectPath = localPathOf(bucket, key)
    const { hasBirthtime } = drive.root
    for (let attempt = 1; ; attempt++) {
      const file = await currentFile(drive.root, objectPath)
      const found = await readVersions(drive, objectPath, file?.stats)
      const now = await currentFile(drive.root, objectPath)
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
    const { filePath } = historyPathOf(this.#objectPath)
    const folder = await OpenFolder.open(this.#drive.root, filePath.folder)
    try {
      const listed: ListedVersion[] = []
      for (let taken = 0; taken < limit && !this.#next.done; taken++) {
        const version = await this.#look(this.#next.value, folder)
        if (version !== undefined) listed.push(version)
        this.#next = this.#versions.next()
      }
      return listed
    } finally {
      await folder?.close()
    }
  }

  /** Undefined if it was removed meanwhile. */
  async #look(
    { stored, ...version }: RankedVersion,
    folder: OpenFolder | undefined,
  ): Promise<ListedVersion | undefined> {
    if (stored?.isDeleteMarker)
      return { ...version, size: 0, modifiedAtMs: timeIn(stored.time) ?? 0 }
    const file = stored === undefined ? this.#current : await this.#stampOf(stored, folder)
    return file && { ...version, size: file.size, modifiedAtMs: file.modifiedAtMs, file }
  }

  async #stampOf({ name }: StoredVersion, folder: OpenFolder | undefined) {
    const { root } = this.#drive
    const stats = folder && (await root.files.lstat(folder.at(name)))
    if (!stats?.isFile()) return undefined
    return { ...describe(stats, root), path: this.#objectPath.path }
  }
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
    const replacedAtMs = newer && replacedAt(newer, version)
    newer = version
    return {
      ...{ kind: 'object', key, versionId: versionIdOf(version), isDeleteMarker, stored },
      isLatest: stored === undefined || (isDeleteMarker && isNewest),
      ...(replacedAtMs !== undefined && { replacedAtMs }),
    }
  }
  if (isOwnFirst) yield rank(own)
  for (const stored of found.newestFirst(below)) yield rank(stored, stored)
}

/** Undefined if the newer one was put there by hand, or by a wrong clock. */
function replacedAt(
  newer: Pick<StoredVersion, 'order' | 'time'>,
  { order }: Pick<StoredVersion, 'order'>,
): number | undefined {
  return newer.order === newer.time && newer.time > order ? timeIn(newer.time) : undefined
}
