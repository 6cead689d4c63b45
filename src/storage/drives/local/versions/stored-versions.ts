/** Reads the version store: what is there of a key, and which of it counts. */
import type { Stats } from 'node:fs'
import type { Versioning } from '../../versions.ts'
import { fs } from '../file-calls.ts'
import { type FolderIndex, nameFlags } from '../folders/folder-index.ts'
import { OpenFolder } from '../folders/open-folder.ts'
import type { LocalRoot } from '../local-root.ts'
import { type FilePath, historyPathOf, type ObjectPath } from '../object-path.ts'
import { describe, isOneFile } from '../objects/file-identity.ts'
import type { OpenDrive } from '../open-drive.ts'
import { type CurrentVersion, countVersions, isNullTime } from './counted-versions.ts'
import {
  namesOf,
  smallFolderBytes,
  timeText,
  type VersionNames,
  versionNamed,
  versionsNamed,
} from './version-names.ts'

/** A bucket that never had versions: each object has the ID `null`. */
const neverEnabled = { changes: [Number.POSITIVE_INFINITY] }

/** Names that differ from those on the disk. */
const otherNames = nameFlags.alternative | nameFlags.encoded

/** The object's file at one of its paths. */
export interface CurrentFile {
  readonly filePath: FilePath
  readonly stats: Stats
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

/**
 * The current version beside what is stored.
 *
 * @param folder the path of the stored versions; undefined if the file is not a stored version
 */
export async function currentVersion(
  root: LocalRoot,
  { stats, versioning }: { readonly stats: Stats; readonly versioning: Versioning },
  stored: VersionNames,
  folder: string | undefined,
): Promise<CurrentVersion> {
  const links = new Set<string>()
  const [first, second] = stored.newestFirst()
  for (const one of [first, second]) {
    if (one === undefined || one.isDeleteMarker || folder === undefined) continue
    const other = await root.files.lstat(`${folder}/${one.name}`)
    if (isOneFile(other, stats)) links.add(one.name)
  }
  const time = timeText(describe(stats, root).modifiedAtMs)
  return { time, isNull: isNullTime(versioning, time), isSameFile: ({ name }) => links.has(name) }
}

/** The versions of a key that has this file now, for readers. Undefined: it has no file. */
export async function readVersions(
  drive: OpenDrive,
  objectPath: ObjectPath,
  stats: Stats | undefined,
) {
  const { root, indexes } = drive
  const path = historyPathOf(objectPath).filePath.folder
  const stored = versionsIn(await indexes.get(path, { isConstant: true }))
  if (stats === undefined) return { current: undefined, ...countVersions(undefined, stored) }
  const versioning = drive.versioningOf(objectPath.bucket) ?? neverEnabled
  // A file with one name is not stored.
  const folder = stats.nlink > 1 ? `${root.path}/${path}` : undefined
  const current = await currentVersion(root, { stats, versioning }, stored, folder)
  return { current, ...countVersions(current, stored) }
}

/** Whether this file is a former version. */
export async function isStored(
  { root, indexes }: OpenDrive,
  objectPath: ObjectPath,
  stats: Stats,
): Promise<boolean> {
  const path = historyPathOf(objectPath).filePath.folder
  const stored = versionsIn(await indexes.get(path, { isConstant: true }))
  for (const { name } of stored.including(timeText(describe(stats, root).modifiedAtMs))) {
    if (isOneFile(await root.files.lstat(`${root.path}/${path}/${name}`), stats)) return true
  }
  return false
}

/** What is stored now, for a writer. A large folder is read in another thread. */
export async function readNames(
  { root, indexes }: OpenDrive,
  folder: OpenFolder,
): Promise<VersionNames> {
  const isSmall = (await folder.stats()).size <= smallFolderBytes
  const names = isSmall && root.files.readsNow(() => fs.readdirSync(folder.ownPath))
  if (names) return namesOf(names)
  return versionsIn(
    await indexes.get(folder.path.slice(root.path.length + 1), { isRead: true, isConstant: true }),
  )
}

/** The names are sorted, and cached while the folder does not change. */
export function versionsIn(index: FolderIndex | undefined): VersionNames {
  return {
    *newestFirst(below) {
      const end = below === undefined ? index?.count : index?.lowerBound(below)
      for (let position = (end ?? 0) - 1; position >= 0; position--) {
        const name = index?.hasFlag(position, otherNames) ? '' : index?.name(position)
        const version = versionNamed(name ?? '')
        if (version !== undefined) yield version
      }
    },
    including: (text) => versionsNamed(index?.including(text) ?? []),
  }
}
