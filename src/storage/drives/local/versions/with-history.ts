import { isEnabled } from '../../versions.ts'
import { ensureFolder, unmakeFolders } from '../folders/folder-maker.ts'
import { type FilePath, historyPathOf, joinFilePath, type ObjectPath } from '../object-path.ts'
import type { OpenFence } from '../objects/fence.ts'
import type { OpenDrive } from '../open-drive.ts'
import { KeyHistory } from './key-history.ts'

/** Nothing was changed: the folder of this path has to be created, without the lock. */
export interface MissingFolder {
  readonly kind: 'missing'
  readonly objectPath: ObjectPath
  readonly filePath: FilePath
}

export function missingHistory({ path }: KeyHistory): MissingFolder {
  return { kind: 'missing', objectPath: path.store, filePath: path.filePath }
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

/** Runs `work`, which may replace the object, with a folder for the current version, which is created without the lock. */
export async function withHistoryFolder<Result>(
  drive: OpenDrive,
  objectPath: ObjectPath,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!(await needsFolder(drive, objectPath))) return await work()
  const { store, filePath } = historyPathOf(objectPath)
  const { folder, entry } = await ensureFolder(drive, store, filePath)
  try {
    await folder.close()
    return await work()
  } catch (error) {
    await drive.locks
      .hold(objectPath.path, (fence) =>
        withHistory(drive, objectPath, fence, async () => undefined),
      )
      .catch(() => undefined)
    throw error
  } finally {
    await entry?.close()
  }
}

async function needsFolder({ root, versioningOf }: OpenDrive, objectPath: ObjectPath) {
  const versioning = versioningOf(objectPath.bucket)
  if (versioning === undefined || !isEnabled(versioning)) return false
  const { folder } = historyPathOf(objectPath).filePath
  const present = await root.files.lstat(`${root.path}/${joinFilePath(objectPath.natural)}`)
  return (
    present?.isFile() === true && (await root.files.lstat(`${root.path}/${folder}`)) === undefined
  )
}
