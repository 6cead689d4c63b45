/** Reads the version store: what is there of a key, and which of it counts. */
import type { Stats } from 'node:fs'
import type { Versioning } from '../../versions.ts'
import { fs } from '../file-calls.ts'
import { OpenFolder } from '../folders/open-folder.ts'
import type { LocalRoot } from '../local-root.ts'
import { type FilePath, type HistoryPath, historyPathOf, type ObjectPath } from '../object-path.ts'
import { describe } from '../objects/file-identity.ts'
import { type CurrentVersion, isNullTime } from './counted-versions.ts'
import { type StoredVersion, timeText, versionsNamed } from './version-names.ts'

/** The object's file at one of its paths. */
export interface CurrentFile {
  readonly filePath: FilePath
  readonly stats: Stats
}

/** What is stored of a key. The caller must close it. */
export interface StoredHistory {
  /** Undefined if nothing was ever stored. */
  readonly folder: OpenFolder | undefined
  /** The newest first. */
  readonly stored: readonly StoredVersion[]
}

/** @param versionsOf selects versions by their file names. Default: all */
export async function readHistory(
  root: LocalRoot,
  path: HistoryPath,
  versionsOf: (names: readonly string[]) => StoredVersion[] = versionsNamed,
): Promise<StoredHistory> {
  const folder = await OpenFolder.open(root, path.filePath.folder)
  if (folder === undefined) return { folder, stored: [] }
  try {
    const names =
      root.files.readsNow(() => fs.readdirSync(folder.ownPath)) ??
      (await fs.promises.readdir(folder.ownPath))
    return { folder, stored: versionsOf(names) }
  } catch (error) {
    await folder.close()
    throw error
  }
}

/** The file at the natural path hides the one at the alternative path. */
export async function currentFile(
  root: LocalRoot,
  { natural, alternative }: ObjectPath,
): Promise<CurrentFile | undefined> {
  for (const filePath of [natural, alternative]) {
    const folder = await OpenFolder.open(root, filePath.folder)
    if (folder === undefined) continue
    try {
      const stats = await root.files.lstat(folder.at(filePath.name))
      if (stats?.isFile()) return { filePath, stats }
    } finally {
      await folder.close()
    }
  }
  return undefined
}

/** The current version beside what is stored. */
export async function currentVersion(
  root: LocalRoot,
  stats: Stats,
  { folder, stored }: StoredHistory,
  versioning: Versioning,
): Promise<CurrentVersion> {
  const links = new Set<string>()
  for (const { name, isDeleteMarker } of stored.slice(0, 2)) {
    const other = isDeleteMarker ? undefined : await root.files.lstat(folder?.at(name) ?? '')
    if (other?.ino === stats.ino && other.dev === stats.dev) links.add(name)
  }
  const time = timeText(describe(stats, root).modifiedAtMs)
  return { time, isNull: isNullTime(versioning, time), isSameFile: ({ name }) => links.has(name) }
}

/** Whether this file is a former version. */
export async function isStored(
  root: LocalRoot,
  objectPath: ObjectPath,
  stats: Stats,
): Promise<boolean> {
  const { folder, stored } = await readHistory(root, historyPathOf(objectPath))
  const time = timeText(describe(stats, root).modifiedAtMs)
  try {
    for (const version of stored) {
      if (version.time !== time || version.isDeleteMarker) continue
      const other = await root.files.lstat(folder?.at(version.name) ?? '')
      if (other?.ino === stats.ino && other.dev === stats.dev) return true
    }
    return false
  } finally {
    await folder?.close()
  }
}
