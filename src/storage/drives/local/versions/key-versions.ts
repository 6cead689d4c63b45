import type { VersionEntry } from '../../versions.ts'
import { OpenFolder } from '../folders/open-folder.ts'
import { historyPathOf, localPathOf, type ObjectPath } from '../object-path.ts'
import type { StampedFile } from '../objects/attribute-cache.ts'
import { describe, isSameFile } from '../objects/file-identity.ts'
import type { OpenDrive } from '../open-drive.ts'
import { type CurrentVersion, countVersions } from './counted-versions.ts'
import { currentFile, currentVersion, readHistory } from './stored-versions.ts'
import { type StoredVersion, timeIn, timeText, versionIdOf } from './version-names.ts'

/** How often to read a key that others change meanwhile. */
const attempts = 4

/** A listed version whose attributes have not been read. A marker has no file. */
export interface ListedVersion extends Omit<VersionEntry, 'etag' | 'storageClass'> {
  readonly file?: StampedFile
}

/** A version in the order of the listing. The object's own file has no name in the store. */
interface RankedVersion {
  readonly stored: StoredVersion | undefined
  readonly versionId: string
  readonly order: string
  /** Whether it was replaced at the time of the next newer one, which otherwise was put there by hand, or by a wrong clock. */
  readonly isReplacedThen: boolean
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
  readonly #versions: readonly RankedVersion[]
  #position = 0

  private constructor(
    drive: OpenDrive,
    objectPath: ObjectPath,
    current: StampedFile | undefined,
    versions: readonly RankedVersion[],
  ) {
    this.key = objectPath.key
    this.#drive = drive
    this.#objectPath = objectPath
    this.#current = current
    this.#versions = versions
  }

  static async open(drive: OpenDrive, bucket: string, key: string): Promise<KeyVersions> {
    const { root } = drive
    const objectPath = localPathOf(bucket, key)
    const path = historyPathOf(objectPath)
    const versioning = drive.versioningOf(bucket) ?? { changes: [Number.POSITIVE_INFINITY] }
    for (let attempt = 1; ; attempt++) {
      const file = await currentFile(root, objectPath)
      const history = await readHistory(root, path)
      try {
        const current = file && (await currentVersion(root, file.stats, history, versioning))
        const { counted } = countVersions(current, history.stored)
        const now = await currentFile(root, objectPath)
        const isSame =
          file === undefined || now === undefined
            ? file === now
            : isSameFile(now.stats, file.stats, root.hasBirthtime)
        // A version may have become the current one, or a former one, meanwhile.
        if (!isSame && attempt < attempts) continue
        const stamp = file && { ...describe(file.stats, root), path: objectPath.path }
        return new KeyVersions(drive, objectPath, stamp, ranked(current, counted))
      } finally {
        await history.folder?.close()
      }
    }
  }

  get isEmpty(): boolean {
    return this.#position === this.#versions.length
  }

  /** Skips this version and newer ones. If it was removed: those that were stored later, as far as its ID says when. */
  skipTo(versionId: string): void {
    const index = this.#versions.findIndex((version) => version.versionId === versionId)
    if (index >= 0) this.#position = index + 1
    else if (timeIn(versionId) !== undefined) {
      const older = this.#versions.findIndex(({ order }) => order < versionId)
      this.#position = older < 0 ? this.#versions.length : older
    }
  }

  async take(limit: number): Promise<ListedVersion[]> {
    const start = this.#position
    this.#position = Math.min(start + limit, this.#versions.length)
    const { filePath } = historyPathOf(this.#objectPath)
    const folder = await OpenFolder.open(this.#drive.root, filePath.folder)
    try {
      const listed: ListedVersion[] = []
      let newer = await this.#listed(start - 1, folder)
      for (let index = start; index < this.#position; index++) {
        const version = await this.#listed(index, folder, newer)
        if (version !== undefined) listed.push(version)
        newer = version
      }
      return listed
    } finally {
      await folder?.close()
    }
  }

  /** Undefined if it was removed meanwhile. */
  async #listed(
    index: number,
    folder: OpenFolder | undefined,
    newer?: ListedVersion,
  ): Promise<ListedVersion | undefined> {
    const version = this.#versions[index]
    if (version === undefined) return undefined
    const { stored, versionId, isReplacedThen } = version
    const isDeleteMarker = stored?.isDeleteMarker === true
    const entry = {
      kind: 'object',
      key: this.key,
      versionId,
      isDeleteMarker,
      isLatest: index === 0 && (stored === undefined || isDeleteMarker),
      ...(newer !== undefined && isReplacedThen && { replacedAtMs: newer.modifiedAtMs }),
    } as const
    if (isDeleteMarker) return { ...entry, size: 0, modifiedAtMs: timeIn(stored.time) ?? 0 }
    const file = stored === undefined ? this.#current : await this.#stampOf(stored, folder)
    return file && { ...entry, size: file.size, modifiedAtMs: file.modifiedAtMs, file }
  }

  async #stampOf({ name }: StoredVersion, folder: OpenFolder | undefined) {
    const { root } = this.#drive
    const stats = folder && (await root.files.lstat(folder.at(name)))
    if (!stats?.isFile()) return undefined
    return { ...describe(stats, root), path: this.#objectPath.path }
  }
}

function ranked(
  current: CurrentVersion | undefined,
  counted: readonly StoredVersion[],
): RankedVersion[] {
  const own = current && { ...current, order: current.time, stored: undefined }
  const former = counted.map((stored) => ({ ...stored, stored }))
  const all = own === undefined ? former : [own, ...former]
  return all.map((version, index) => {
    const { order, stored } = version
    const newer = all[index - 1]
    const isReplacedThen = newer !== undefined && newer.order === newer.time && newer.time > order
    return { versionId: versionIdOf(version), order, stored, isReplacedThen }
  })
}
