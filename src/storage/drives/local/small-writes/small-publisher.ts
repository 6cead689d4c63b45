import type { Attributes } from '../../attributes.ts'
import type { ObjectMetadata } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { allDone, fs } from '../file-calls.ts'
import { OpenFolder, syncFolderAt } from '../folders/open-folder.ts'
import { type LocalRoot, newTempPath, processFolderOf, requireOwnFolder } from '../local-root.ts'
import { historyPathOf, joinFilePath, type ObjectPath } from '../object-path.ts'
import { type FileStamp, identityOf, uniqueTimeMs } from '../objects/file-identity.ts'
import type { LockPaths } from '../objects/key-locks.ts'
import { fsyncFile } from '../objects/paced-files.ts'
import { forgetGone, makeDurable, publishFile, sealedFile } from '../objects/publisher.ts'
import type { OpenDrive } from '../open-drive.ts'
import type { RelaxedWrite } from '../relaxed/relaxed-writes.ts'
import { lastChangeMs, withVersionId } from '../versions/counted-versions.ts'
import { timeText } from '../versions/version-names.ts'
import type {
  MovedFile,
  PublishOutcome,
  SealJob,
  SealOutcome,
  StoreJob,
  StoreOutcome,
} from './write-jobs.ts'

/** An unconditional write of a small object. */
interface SmallObject {
  readonly objectPath: ObjectPath
  readonly bytes: Uint8Array
  readonly attributes: Attributes
  readonly relaxed: RelaxedWrite | undefined
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
  const { objectPath, relaxed } = small
  const isRelaxed = relaxed !== undefined
  return writes.count(isRelaxed, async () => {
    const mayKeep = root.ordersNames || versioningOf(objectPath.bucket) === undefined
    const isUsable =
      writes.isReady &&
      mayKeep &&
      (writes.stores(isRelaxed) || (!writes.isAlone && (await hasFolder(root, objectPath))))
    const metadata = isUsable ? await publishInThread(drive, small) : undefined
    return metadata ?? (await stepByStep())
  })
}

/** If the folder is missing, the record would be saved twice: the second time with the folders that are created. */
async function hasFolder(root: LocalRoot, { natural }: ObjectPath): Promise<boolean> {
  return (await root.files.lstat(`${root.path}/${natural.folder}`)) !== undefined
}

type WrittenFile = Omit<SealJob, 'kind'>
/** Where a file is to be moved. */
type MoveTarget = Omit<StoreJob, keyof WrittenFile | 'kind' | 'record' | 'links'>

interface SealedFile {
  readonly path: string
  readonly stamp: FileStamp
}

/** Undefined if the thread could not write the file. It then leaves nothing behind. */
async function publishInThread(
  drive: OpenDrive,
  small: SmallObject,
): Promise<ObjectMetadata | undefined> {
  const { root, attributeCache, writes } = drive
  const { objectPath, bytes, attributes, relaxed } = small
  const isRelaxed = relaxed !== undefined
  const modifiedAtMs = uniqueTimeMs(lastChangeMs(drive.versioningOf(objectPath.bucket)))
  const file = { path: newTempPath(root), bytes, modifiedAtMs, isRelaxed }
  const stored: (SealOutcome & Partial<StoreOutcome>) | undefined = await (writes.stores(isRelaxed)
    ? store(drive, small, file)
    : writes.seal(file))
  if (stored === undefined) return undefined
  const { fd, stamp, recordedMs } = stored
  const sealed = { path: file.path, stamp }
  try {
    if (recordedMs !== undefined) {
      attributeCache.saved(stamp.identity, attributes, recordedMs)
      return await finish(drive, small, sealed, stored.moved)
    }
    const stamped = { ...stamp, path: objectPath.path }
    const saved = attributeCache.save(stamped, attributes, [], { isRelaxed })
    await allDone([flush(root, fd), saved])
    return await finish(drive, small, sealed, await move(drive, small, sealed))
  } catch (error) {
    // The record must stay if the file was moved. The sweep removes what remains.
    await fs.promises.unlink(file.path).then(
      () => attributeCache.forget(stamp.identity),
      () => undefined,
    )
    throw error
  }
}

/** All steps in one call of the thread. */
async function store(
  drive: OpenDrive,
  small: SmallObject,
  file: WrittenFile,
): Promise<StoreOutcome | undefined> {
  const record = { path: small.objectPath.path, json: JSON.stringify(small.attributes) }
  return await inTurn(drive, small, (target) =>
    drive.writes
      .store({ ...target, ...file, record, links: small.relaxed?.linkFolder() })
      .catch(async (error: unknown) => {
        await dropUnmoved(drive, file.path).catch(() => undefined)
        throw error
      }),
  )
}

/** Removes a file that the thread has left at its first path, and its record, which may be saved. */
async function dropUnmoved({ root, attributeCache }: OpenDrive, path: string): Promise<void> {
  const stats = await fs.promises.lstat(path)
  await fs.promises.unlink(path)
  attributeCache.forget(identityOf(stats, root.hasBirthtime))
}

async function move(
  drive: OpenDrive,
  small: SmallObject,
  { path, stamp }: SealedFile,
): Promise<PublishOutcome['moved']> {
  const time = timeText(stamp.modifiedAtMs)
  const outcome = await inTurn(drive, small, ({ history, ...target }) =>
    drive.writes.publish({
      ...{ ...target, path, history: history && { ...history, time } },
      replaced: small.relaxed?.linkOf(stamp.identity),
    }),
  )
  return outcome?.moved
}

/** Runs a job of the thread that moves a file to this path. Undefined if it can't. */
async function inTurn<Outcome extends PublishOutcome>(
  drive: OpenDrive,
  { objectPath }: SmallObject,
  run: (target: MoveTarget) => Promise<Outcome | undefined>,
): Promise<Outcome | undefined> {
  const { root, locks } = drive
  const { path, natural, alternative } = objectPath
  return await locks.inTurn(path, async (lock) => {
    const { holder } = lock
    if (holder === undefined) return undefined
    const target = {
      name: natural.name,
      lock: { holder, path: lock.path },
      folder: `${root.path}/${natural.folder}`,
      alternative: `${root.path}/${joinFilePath(alternative)}`,
      history: historyOf(drive, objectPath, lock),
    }
    const outcome = await run(target).catch(async (error: unknown) => {
      await locks.dropOwn(lock)
      const message = 'The thread that writes small objects ended. Send the request again.'
      throw new DriveError('unavailable', message, { cause: error })
    })
    if (outcome?.isLocked) await locks.dropOwn(lock)
    return outcome
  })
}

function historyOf(
  { root, versioningOf }: OpenDrive,
  objectPath: ObjectPath,
  { fence }: LockPaths,
): MoveTarget['history'] {
  const versioning = versioningOf(objectPath.bucket)
  if (versioning === undefined) return undefined
  const folder = `${root.path}/${historyPathOf(objectPath).filePath.folder}`
  return { folder, token: fence.newPath(), versioning }
}

async function flush(root: LocalRoot, fd: number | undefined): Promise<void> {
  if (fd === undefined) return
  try {
    await fsyncFile(fd)
  } finally {
    await root.files.close(fd)
  }
}

/** @param moved undefined if the thread did not move the file, whose record is saved */
async function finish(
  drive: OpenDrive,
  { objectPath, attributes, relaxed }: SmallObject,
  { path, stamp }: SealedFile,
  moved: PublishOutcome['moved'],
): Promise<ObjectMetadata> {
  if (moved === undefined) {
    const file = sealedFile(drive.root, path, stamp)
    return publishFile(drive, { objectPath, file, attributes, conditions: undefined, relaxed })
  }
  // The file is the object now, so its record must stay even if a later step fails.
  forgetGone(drive, moved.gone, relaxed)
  if (relaxed === undefined) await syncFolder(drive, objectPath.natural.folder, moved)
  const { size, modifiedAtMs } = stamp
  return withVersionId(drive.versioningOf(objectPath.bucket), { size, modifiedAtMs, attributes })
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
