import type { Attributes } from '../../attributes.ts'
import type { ObjectMetadata } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { allDone, fs } from '../file-calls.ts'
import { OpenFolder, syncFolderAt } from '../folders/open-folder.ts'
import { type LocalRoot, newTempPath, processFolderOf, requireOwnFolder } from '../local-root.ts'
import { historyPathOf, joinFilePath, type ObjectPath } from '../object-path.ts'
import { type FileStamp, uniqueTimeMs } from '../objects/file-identity.ts'
import type { LockPaths } from '../objects/key-locks.ts'
import { fsyncFile } from '../objects/paced-files.ts'
import { makeDurable, publishFile, sealedFile } from '../objects/publisher.ts'
import type { OpenDrive } from '../open-drive.ts'
import { lastChangeMs, withVersionId } from '../versions/counted-versions.ts'
import { timeText } from '../versions/version-names.ts'
import type { HistoryJob, MovedFile, PublishJob, PublishOutcome } from './write-thread.ts'

/** An unconditional write of a small object. */
interface SmallObject {
  readonly objectPath: ObjectPath
  readonly bytes: Uint8Array
  readonly attributes: Attributes
}

/**
 * As Draft.publish, with the thread of `SmallWrites` (docs/paths/publishing-a-file.md). Leaves everything but the common
 * case to `stepByStep`, such as a folder that does not exist.
 *
 * @param stepByStep publishes the object without the thread
 */
export function publishSmall(
  drive: OpenDrive,
  small: SmallObject,
  stepByStep: () => Promise<ObjectMetadata>,
): Promise<ObjectMetadata> {
  const { root, writes, versioningOf } = drive
  return writes.count(async () => {
    const { objectPath } = small
    const mayKeep = root.ordersNames || versioningOf(objectPath.bucket) === undefined
    const isUsable = writes.isReady && mayKeep && (await hasFolder(root, objectPath))
    const metadata = isUsable ? await publishInThread(drive, small) : undefined
    return metadata ?? (await stepByStep())
  })
}

/** If the folder is missing, the record would be saved twice: the second time with the folders that are created. */
async function hasFolder(root: LocalRoot, { natural }: ObjectPath): Promise<boolean> {
  return (await root.files.lstat(`${root.path}/${natural.folder}`)) !== undefined
}

/** Undefined if the thread could not write the file. It then leaves nothing behind. */
async function publishInThread(
  drive: OpenDrive,
  small: SmallObject,
): Promise<ObjectMetadata | undefined> {
  const { root, attributeCache, writes } = drive
  const path = newTempPath(root)
  const { objectPath, bytes, attributes } = small
  const changedAtMs = lastChangeMs(drive.versioningOf(objectPath.bucket))
  const sealed = await writes.seal({ path, bytes, modifiedAtMs: uniqueTimeMs(changedAtMs) })
  if (sealed === undefined) return undefined
  const { fd, stamp } = sealed
  try {
    const saved = attributeCache.save({ ...stamp, path: objectPath.path }, attributes, [])
    await allDone([flush(root, fd), saved])
    return await publishSealed(drive, small, path, stamp)
  } catch (error) {
    // The record must stay if the file was moved. The sweep removes what remains.
    await fs.promises.unlink(path).then(
      () => attributeCache.forget(stamp.identity),
      () => undefined,
    )
    throw error
  }
}

async function flush(root: LocalRoot, fd: number | undefined): Promise<void> {
  if (fd === undefined) return
  try {
    await fsyncFile(fd)
  } finally {
    await root.files.close(fd)
  }
}

async function publishSealed(
  drive: OpenDrive,
  { objectPath, attributes }: SmallObject,
  path: string,
  stamp: FileStamp,
): Promise<ObjectMetadata> {
  const { attributeCache, locks } = drive
  const moved = await locks.inTurn(objectPath.path, (lock) =>
    move(drive, objectPath, { path, history: historyOf(drive, objectPath, stamp, lock) }, lock),
  )
  if (moved === undefined) {
    const file = sealedFile(drive.root, path, stamp)
    return publishFile(drive, { objectPath, file, attributes, conditions: undefined })
  }
  // The file is the object now, so its record must stay even if a later step fails.
  if (moved.gone !== undefined) attributeCache.forget(moved.gone)
  await syncFolder(drive, objectPath.natural.folder, moved)
  const { size, modifiedAtMs } = stamp
  return withVersionId(drive.versioningOf(objectPath.bucket), { size, modifiedAtMs, attributes })
}

function historyOf(
  { root, versioningOf }: OpenDrive,
  objectPath: ObjectPath,
  { modifiedAtMs }: FileStamp,
  { fence }: LockPaths,
): HistoryJob | undefined {
  const versioning = versioningOf(objectPath.bucket)
  if (versioning === undefined) return undefined
  const folder = `${root.path}/${historyPathOf(objectPath).filePath.folder}`
  return { folder, token: fence.newPath(), versioning, time: timeText(modifiedAtMs) }
}

async function move(
  { root, writes, locks }: OpenDrive,
  { natural, alternative }: ObjectPath,
  { path, history }: Pick<PublishJob, 'path' | 'history'>,
  lock: LockPaths,
): Promise<PublishOutcome['moved']> {
  const { holder } = lock
  if (holder === undefined) return undefined
  const job = {
    path,
    history,
    name: natural.name,
    lock: { holder, path: lock.path },
    folder: `${root.path}/${natural.folder}`,
    alternative: `${root.path}/${joinFilePath(alternative)}`,
  }
  const outcome = await writes.publish(job).catch(async (error: unknown) => {
    await locks.dropOwn(lock)
    const message = 'The thread that writes small objects ended. Send the request again.'
    throw new DriveError('unavailable', message, { cause: error })
  })
  if (outcome.isLocked) await locks.dropOwn(lock)
  return outcome.moved
}

async function syncFolder(
  drive: OpenDrive,
  path: string,
  { synced, syncError }: MovedFile,
): Promise<void> {
  if (syncError !== undefined) {
    throw Object.assign(new Error('The folder could not be synced.'), { code: syncError })
  }
  if (synced !== undefined && drive.sync.isReachable(synced)) return
  const folder = await OpenFolder.open(drive.root, path)
  if (folder !== undefined) return await makeDurable(drive, folder)
  // If the folder was removed, it was empty, so the object was also removed. But it may only seem to be missing because
  // the drive is not mounted.
  await requireOwnFolder(drive.root)
  // Or it was moved, with the object in it. The same rename also changed the folder that the file was in before.
  await syncFolderAt(processFolderOf(drive.root))
}
