import type { Stats } from 'node:fs'
import type { LockRules } from '../../attributes.ts'
import { assertUnlocked } from '../../object-lock.ts'
import { nullVersionId, type Versioning } from '../../versions.ts'
import { unmakeFolders } from '../folders/folder-maker.ts'
import { OpenFolder } from '../folders/open-folder.ts'
import { cannotLink, unlessAbsent } from '../fs-error.ts'
import { type HistoryPath, historyPathOf, type ObjectPath } from '../object-path.ts'
import type { StampedFile } from '../objects/attribute-cache.ts'
import { type OpenFence, removeThrough } from '../objects/fence.ts'
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
import {
  archivedAs,
  type CurrentVersion,
  countVersions,
  isNullFile,
  isTaken,
  lastChangeMs,
  newMarker,
} from './counted-versions.ts'
import { asOvertaken, changing, moveInFirst, renameFenced } from './move-in.ts'
import { type CurrentFile, currentFile, currentVersion, readNames } from './stored-versions.ts'
import {
  namesOf,
  type StoredVersion,
  timeIn,
  timeText,
  type VersionNames,
  versionsWithId,
} from './version-names.ts'

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
  #folder: OpenFolder | undefined
  #isSynced = true
  #isTaken = false
  /** When it was read. */
  #read = namesOf([])
  /** The names of versions that were stored since, which are the newest, and of those that were removed. */
  #added: readonly string[] = []
  readonly #dropped = new Set<string>()
  #currentVersion: CurrentVersion | undefined

  private constructor(
    parts: Parts,
    current: CurrentFile | undefined,
    folder: OpenFolder | undefined,
  ) {
    this.#parts = parts
    this.path = historyPathOf(parts.objectPath)
    this.versioning = parts.versioning
    this.current = current
    this.#folder = folder
  }

  /** Removes what interrupted changes have left. */
  static async open(parts: Parts): Promise<KeyHistory> {
    const { drive, objectPath } = parts
    const { filePath } = historyPathOf(objectPath)
    const current = await currentFile(drive.root, objectPath)
    const folder = await OpenFolder.open(drive.root, filePath.folder)
    const history = new KeyHistory(parts, current, folder)
    try {
      await history.#open()
      return history
    } catch (error) {
      await folder?.close()
      throw error
    }
  }

  async #open(): Promise<void> {
    const { drive } = this.#parts
    const { root } = drive
    const folder = this.#folder
    if (folder !== undefined) this.#read = await readNames(drive, folder)
    if (this.current === undefined) return
    const { stats } = this.current
    const { versioning, stored } = this
    const current = { stats, versioning }
    this.#currentVersion = await currentVersion(root, current, stored, folder?.ownPath)
    await this.drop(countVersions(this.#currentVersion, stored).leftovers)
  }

  get hasFolder(): boolean {
    return this.#folder !== undefined
  }

  /** Whether no version is stored. */
  get isEmpty(): boolean {
    const [newest] = this.stored.newestFirst()
    return newest === undefined
  }

  *#newestFirst(below: string | undefined): Generator<StoredVersion> {
    yield* namesOf(this.#added).newestFirst(below)
    for (const one of this.#read.newestFirst(below)) if (!this.#dropped.has(one.name)) yield one
  }

  get currentVersion(): Pick<CurrentVersion, 'time' | 'isNull'> | undefined {
    return this.#currentVersion
  }

  /** Without the current version. */
  get counted() {
    const current = this.#currentVersion && { ...this.#currentVersion, isSameFile: () => false }
    return countVersions(current, this.stored)
  }

  /** Without leftovers. */
  readonly stored: VersionNames = {
    newestFirst: (below) => this.#newestFirst(below),
    including: (text) => {
      const read = this.#read.including(text).filter(({ name }) => !this.#dropped.has(name))
      return [...namesOf(this.#added).including(text), ...read]
    },
  }

  /**
   * The time after which a new file must be for its ID to be that of no other version, and, unless clocks differ much, the
   * greatest. Undefined if the file is.
   */
  laterThan({ modifiedAtMs }: Pick<FileStamp, 'modifiedAtMs'>): number | undefined {
    const time = timeText(modifiedAtMs)
    const [stored] = this.stored.newestFirst()
    const [, newest = ''] = [this.#currentVersion?.time ?? '', stored?.order ?? ''].sort()
    const newestMs = timeIn(newest) ?? 0
    if (newest >= time && newestMs < Date.now() + farAheadMs) return newestMs
    return isTaken(this.#currentVersion, this.stored, time) ? modifiedAtMs : undefined
  }

  /** Whether a new version with this time has the ID `null`. */
  #isNull(timeMs: number): boolean {
    return isNullFile(this.versioning, { modifiedAtMs: timeMs })
  }

  /** The time of a new delete marker. */
  markerTimeMs(): number {
    const timeMs = uniqueTimeMs(lastChangeMs(this.versioning))
    const afterMs = this.laterThan({ modifiedAtMs: timeMs })
    return afterMs === undefined ? timeMs : uniqueTimeMs(afterMs)
  }

  /** The stamp of the object's file. */
  get currentStamp(): StampedFile | undefined {
    const { drive, objectPath } = this.#parts
    return this.current && { ...describe(this.current.stats, drive.root), path: objectPath.path }
  }

  /**
   * Call it before a new version, with this time, replaces another one.
   *
   * @throws DriveError `locked` if the new one is `null` and the other one has a retention or a legal hold
   */
  async assertReplaceable(timeMs: number): Promise<void> {
    if (!this.#isNull(timeMs)) return
    const current = this.#currentVersion?.isNull ? this.currentStamp : undefined
    await this.assertUnlocked([current, ...(await this.stamps(this.#nulls()))], undefined)
  }

  #nulls(): StoredVersion[] {
    return versionsWithId(this.stored, nullVersionId)
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

  /**
   * Gives the current version its name in the store, beside its path. Not durable before `sync`.
   *
   * @param timeMs of the next version
   */
  async keepCurrent(timeMs: number): Promise<void> {
    const { drive } = this.#parts
    const byNull = this.#isNull(timeMs)
    const version = this.#currentVersion && archivedAs(this.#currentVersion, this.stored, byNull)
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
  async addMarker(timeMs: number): Promise<StoredVersion> {
    const { drive, fence } = this.#parts
    const marker = newMarker(this.stored, timeMs, this.#isNull(timeMs))
    const token = fence.newPath()
    try {
      // Unlike a temporary file, not again in a new folder if another process has moved that of this one.
      await drive.root.files.close(await drive.root.files.open(token, createFlags))
    } catch (error) {
      throw asOvertaken(fence, error)
    }
    await this.#moveIn(token, marker)
    return marker
  }

  /** Makes all changes durable. */
  async sync(): Promise<void> {
    if (this.#folder === undefined || this.#isSynced) return
    await this.#parts.drive.sync.makeDurable(this.#folder)
    this.#isSynced = true
  }

  /**
   * The folder if it has to be synced after the new version is visible: the caller must sync and close it. Where names stay
   * in order, the sync of the new version makes this durable.
   */
  takeUnsynced(): OpenFolder | undefined {
    if (this.#parts.drive.root.ordersNames || this.#isSynced || this.isEmpty) return undefined
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

  /** Of those that are objects, and that nobody has removed. */
  async stamps(versions: readonly StoredVersion[]): Promise<StampedFile[]> {
    const stamps: StampedFile[] = []
    for (const version of versions) {
      const stamp = version.isDeleteMarker ? undefined : await this.stamp(version)
      if (stamp !== undefined) stamps.push(stamp)
    }
    return stamps
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
      this.#isSynced = false
    }
    const names = versions.map(({ name }) => name)
    for (const name of names) this.#dropped.add(name)
    this.#added = this.#added.filter((name) => !names.includes(name))
  }

  /** Call it when the new version, with this time, is visible. It replaces others only if its ID is `null`. */
  async dropReplacedNulls(timeMs: number, except?: StoredVersion): Promise<void> {
    if (!this.#isNull(timeMs)) return
    await this.drop(this.#nulls().filter(({ name }) => name !== except?.name))
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
      const isThere = (await files.lstat(path)) !== undefined
      throw isThere ? asOvertaken(fence, error) : error
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
    const { drive, fence } = this.#parts
    const move = { root: drive.root, fence, token, name: version.name }
    try {
      if (this.#folder !== undefined) await renameFenced(move, this.at(version))
      else this.#folder = await moveInFirst(move, this.path)
    } catch (error) {
      await unlessAbsent(() => drive.root.files.unlink(token))
      throw error
    }
    this.#isSynced = false
    this.#added = [...this.#added, version.name]
  }

  async close(): Promise<void> {
    if (!this.#isTaken) await this.#folder?.close()
  }
}

/**
 * Runs `work` with the versions of a key whose lock is held, or with undefined if the bucket never had versions. Then
 * removes the folder of the versions if it is empty: nobody else does.
 */
export async function withHistory<Result>(
  drive: OpenDrive,
  objectPath: ObjectPath,
  fence: OpenFence,
  work: (history: KeyHistory | undefined) => Promise<Result>,
): Promise<Result> {
  const versioning = drive.versioningOf(objectPath.bucket)
  if (versioning === undefined) return await work(undefined)
  const history = await KeyHistory.open({ drive, objectPath, versioning, fence })
  try {
    return await work(history)
  } finally {
    await history.close()
    const { store, filePath } = history.path
    if (history.hasFolder && history.isEmpty) await unmakeFolders(drive, store, filePath, [])
  }
}
