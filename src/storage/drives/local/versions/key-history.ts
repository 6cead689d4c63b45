import type { Stats } from 'node:fs'
import type { LockRules } from '../../attributes.ts'
import { DriveError } from '../../drive-error.ts'
import { assertUnlocked } from '../../object-lock.ts'
import { isEnabled, type Versioning } from '../../versions.ts'
import { OpenFolder } from '../folders/open-folder.ts'
import { cannotLink, codeOf, unlessAbsent } from '../fs-error.ts'
import { type HistoryPath, historyPathOf, joinFilePath, type ObjectPath } from '../object-path.ts'
import type { StampedFile } from '../objects/attribute-cache.ts'
import { type OpenFence, overtaken, removeThrough } from '../objects/fence.ts'
import {
  describe,
  type FileStamp,
  goneIdentity,
  isSameFile,
  uniqueTimeMs,
} from '../objects/file-identity.ts'
import { cloneFile, OutputFile } from '../objects/output-file.ts'
import { createFlags, readFlags } from '../objects/paced-files.ts'
import { largeBytes } from '../objects/put-file.ts'
import type { OpenDrive } from '../open-drive.ts'
import { archivedAs, countVersions, isTaken, newMarker } from './counted-versions.ts'
import { type CurrentFile, currentFile, currentVersion, readHistory } from './stored-versions.ts'
import { newestFirst, type StoredVersion, timeIn, timeText } from './version-names.ts'

/** A file with a time further ahead was put there by hand, or by a clock that is wrong: nothing gets times after it. */
const farAheadMs = 60_000

interface Parts {
  readonly drive: OpenDrive
  readonly objectPath: ObjectPath
  readonly versioning: Versioning
  readonly fence: OpenFence
}

/** A file that is to have another name. */
interface NamedFile {
  readonly path: string
  readonly stats: Stats
}

/**
 * The versions of a key, for a writer that holds the lock of the key. Each change is one rename out of the fence or into it,
 * so it fails if another process has taken over the lock. docs/paths/publishing-a-file.md has the order of the steps.
 */
export class KeyHistory {
  readonly path: HistoryPath
  readonly versioning: Versioning
  /** The object's file. */
  readonly current: CurrentFile | undefined
  readonly #parts: Parts
  readonly #folder: OpenFolder | undefined
  #isSynced = true
  #isTaken = false
  /** Without leftovers, the newest first. */
  #stored: readonly StoredVersion[] = []
  #currentTime: { readonly time: string; readonly isNull: boolean } | undefined

  private constructor(
    parts: Parts,
    path: HistoryPath,
    current: CurrentFile | undefined,
    folder: OpenFolder | undefined,
  ) {
    this.#parts = parts
    this.path = path
    this.versioning = parts.versioning
    this.current = current
    this.#folder = folder
  }

  /** Removes what interrupted changes have left. */
  static async open(parts: Parts): Promise<KeyHistory> {
    const { drive, objectPath, versioning } = parts
    const path = historyPathOf(objectPath)
    if (await isNew(drive, path, objectPath))
      return new KeyHistory(parts, path, undefined, undefined)
    const file = await currentFile(drive.root, objectPath)
    const read = await readHistory(drive.root, path)
    const history = new KeyHistory(parts, path, file, read.folder)
    try {
      const current = file && (await currentVersion(drive.root, file.stats, read, versioning))
      const { leftovers } = countVersions(current, read.stored)
      history.#currentTime = current
      history.#stored = read.stored
      await history.drop(leftovers)
      return history
    } catch (error) {
      await read.folder?.close()
      throw error
    }
  }

  /** Whether nothing is stored, and nothing has to be. */
  get isEmpty(): boolean {
    return this.#stored.length === 0
  }

  get hasFolder(): boolean {
    return this.#folder !== undefined
  }

  /** Whether the current version has to be stored before it is replaced or removed. */
  get keepsCurrent(): boolean {
    return this.#currentTime !== undefined && this.#archived() !== undefined
  }

  get currentTime(): { readonly time: string; readonly isNull: boolean } | undefined {
    return this.#currentTime
  }

  /** Without the current version, the newest first. */
  get counted(): readonly StoredVersion[] {
    const current = this.#currentTime && { ...this.#currentTime, isSameFile: () => false }
    return countVersions(current, this.#stored).counted
  }

  get stored(): readonly StoredVersion[] {
    return this.#stored
  }

  /**
   * The time after which a new file must be for its ID to be that of no other version, and, unless clocks differ much, the
   * greatest. Undefined if the file is.
   */
  laterThan({ modifiedAtMs }: Pick<FileStamp, 'modifiedAtMs'>): number | undefined {
    const time = timeText(modifiedAtMs)
    const newest = this.#newestTime()
    if (newest !== undefined && newest >= time) {
      const newestMs = timeIn(newest) ?? 0
      if (newestMs < Date.now() + farAheadMs) return newestMs
    }
    return isTaken(this.#currentTime, this.#stored, time) ? modifiedAtMs : undefined
  }

  #newestTime(): string | undefined {
    const times = [this.#currentTime?.time, this.#stored[0]?.order]
    return times
      .filter((time) => time !== undefined)
      .sort()
      .at(-1)
  }

  #archived(): StoredVersion | undefined {
    return this.#currentTime && archivedAs(this.#currentTime, this.#stored, this.versioning)
  }

  /** The stamp of the object's file. */
  get currentStamp(): StampedFile | undefined {
    const { drive, objectPath } = this.#parts
    return this.current && { ...describe(this.current.stats, drive.root), path: objectPath.path }
  }

  /**
   * Call it before a new version `null` replaces another one.
   *
   * @throws DriveError `locked` if that has a retention or a legal hold
   */
  async assertReplaceable(): Promise<void> {
    if (isEnabled(this.versioning)) return
    const files = [this.#currentTime?.isNull ? this.currentStamp : undefined]
    for (const version of this.#stored) {
      if (version.isNull && !version.isDeleteMarker) files.push(await this.stamp(version))
    }
    await this.assertUnlocked(files, undefined)
  }

  /** @throws DriveError `locked` */
  async assertUnlocked(
    files: readonly (StampedFile | undefined)[],
    lock: LockRules | undefined,
  ): Promise<void> {
    for (const file of files) {
      if (file !== undefined) assertUnlocked(await this.#parts.drive.attributeCache.of(file), lock)
    }
  }

  /** Gives the current version its name in the store, beside its path. Not durable before `sync`. */
  async keepCurrent(): Promise<void> {
    const { drive } = this.#parts
    const version = this.#archived()
    if (this.current === undefined || version === undefined) return
    const { filePath, stats } = this.current
    const folder = await OpenFolder.open(drive.root, filePath.folder)
    if (folder === undefined) throw changing()
    try {
      const token = await this.another({ path: folder.at(filePath.name), stats })
      await this.#moveIn(token, version)
    } finally {
      await folder.close()
    }
  }

  /** Not durable before `sync`. */
  async addMarker(): Promise<StoredVersion> {
    const { drive, fence } = this.#parts
    const now = uniqueTimeMs()
    const afterMs = this.laterThan({ modifiedAtMs: now })
    const timeMs = afterMs === undefined ? now : uniqueTimeMs(afterMs)
    const marker = newMarker(this.#stored, this.versioning, timeMs)
    const token = fence.newPath()
    try {
      // Unlike a temporary file, not again in a new folder if another process has moved that of this one.
      await drive.root.files.close(await drive.root.files.open(token, createFlags))
    } catch (error) {
      throw this.#failed(error)
    }
    await this.#moveIn(token, marker)
    return marker
  }

  /** Makes all changes durable. */
  async sync(): Promise<void> {
    if (this.#folder !== undefined) await this.#parts.drive.sync.makeDurable(this.#folder)
    this.#isSynced = true
  }

  /** The folder if it was changed since it was synced: the caller must sync and close it. */
  takeUnsynced(): OpenFolder | undefined {
    if (this.#isSynced || this.isEmpty) return undefined
    this.#isTaken = true
    return this.#folder
  }

  /** Where a stored version is. */
  at({ name }: StoredVersion): string {
    return this.#folder?.at(name) ?? ''
  }

  /** The stamp of a stored version; undefined if somebody has removed it. */
  async stamp(version: StoredVersion): Promise<(StampedFile & { stats: Stats }) | undefined> {
    const { drive, objectPath } = this.#parts
    const stats = await drive.root.files.lstat(this.at(version))
    if (!stats?.isFile()) return undefined
    return { ...describe(stats, drive.root), path: objectPath.path, stats }
  }

  /** Removes stored versions. */
  async drop(versions: readonly StoredVersion[]): Promise<void> {
    const { drive, fence } = this.#parts
    for (const version of versions) {
      const path = this.at(version)
      const stats = await drive.root.files.lstat(path)
      if (stats === undefined) continue
      const gone = goneIdentity(stats, drive.root.hasBirthtime)
      await removeThrough(fence, drive.root, path, { isLarge: stats.size >= largeBytes })
      if (gone !== undefined && !version.isDeleteMarker) drive.attributeCache.forget(gone)
    }
    this.#stored = this.#stored.filter((one) => !versions.includes(one))
  }

  /** Call it when the new version, with the ID `null`, is visible. */
  async dropReplacedNulls(except?: StoredVersion): Promise<void> {
    if (isEnabled(this.versioning)) return
    await this.drop(this.#stored.filter((one) => one.isNull && one !== except))
  }

  /** Another name of this file in the fence, or a copy with the same time and attributes if files have one name only. */
  async another({ path, stats }: NamedFile): Promise<string> {
    const { drive, fence } = this.#parts
    const { files, hasBirthtime } = drive.root
    const token = fence.newPath()
    try {
      await files.link(path, token)
    } catch (error) {
      if (cannotLink(error)) return await this.#copy({ path, stats }, token)
      const isLost = codeOf(error) === 'ENOENT' && (await files.lstat(path)) !== undefined
      throw isLost ? this.#failed(error) : error
    }
    const linked = await files.lstat(token)
    if (linked !== undefined && isSameFile(linked, stats, hasBirthtime)) return token
    await unlessAbsent(() => files.unlink(token))
    throw changing()
  }

  async #copy({ path, stats }: NamedFile, token: string): Promise<string> {
    const { drive, objectPath } = this.#parts
    const { root, attributeCache } = drive
    const from = await root.files.open(path, readFlags)
    let output: OutputFile | undefined
    try {
      const isCloned =
        root.descriptors !== undefined && (await cloneFile(`${root.descriptors}${from}`, token))
      output = isCloned ? await OutputFile.open(root, token) : await OutputFile.create(root, token)
      if (!isCloned) await output.copy(from, { size: stats.size })
      if (!isSameFile(await root.files.fstat(from), stats, root.hasBirthtime)) throw changing()
      const stamp = await output.shapeAs(stats.mtimeMs)
      const source = { ...describe(stats, root), path: objectPath.path }
      const attributes = await attributeCache.of(source)
      await attributeCache.save({ ...stamp, path: objectPath.path }, attributes, [])
      await output.flush()
      return token
    } catch (error) {
      await unlessAbsent(() => root.files.unlink(token))
      throw error
    } finally {
      await output?.close()
      await root.files.close(from)
    }
  }

  async #moveIn(token: string, version: StoredVersion): Promise<void> {
    const { files } = this.#parts.drive.root
    const target = this.at(version)
    try {
      await files.rename(token, target)
    } catch (error) {
      // The call may have succeeded: NFS sends it again when the reply is lost.
      const isDone = codeOf(error) === 'ENOENT' && (await files.lstat(target)) !== undefined
      if (!isDone) throw this.#failed(error)
    }
    this.#isSynced = false
    this.#stored = newestFirst([...this.#stored, version])
  }

  #failed(error: unknown): unknown {
    if (codeOf(error) !== 'ENOENT') return error
    this.#parts.fence.lost()
    return overtaken(error)
  }

  async close(): Promise<void> {
    if (!this.#isTaken) await this.#folder?.close()
  }
}

/** Whether the key has neither a file nor a history, for which its folders need not be opened. */
async function isNew({ root }: OpenDrive, { filePath }: HistoryPath, objectPath: ObjectPath) {
  const { natural, alternative } = objectPath
  for (const path of [joinFilePath(natural), filePath.folder, joinFilePath(alternative)]) {
    if ((await root.files.lstat(`${root.path}/${path}`)) !== undefined) return false
  }
  return true
}

function changing(): DriveError {
  const message = 'The object was changed by another program at this moment. Try again.'
  return new DriveError('busy', message, { retryAfterSeconds: 1 })
}
