/**
 * Publishes and removes objects: with the thread of small writes, the only code that changes the file of a key.
 * docs/paths/publishing-a-file.md has the order of the steps, with reasons.
 */
import type { Attributes } from '../../attributes.ts'
import type { ObjectMetadata, RemovalConditions, WriteConditions } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { assertRemovalConditions, versionOf } from '../../write-conditions.ts'
import { allDone } from '../file-calls.ts'
import { ensureFolder, type MadeName, unmakeFolders } from '../folders/folder-maker.ts'
import type { OpenFolder } from '../folders/open-folder.ts'
import { requireOwnFolder } from '../local-root.ts'
import type { FilePath, ObjectPath } from '../object-path.ts'
import type { OpenDrive } from '../open-drive.ts'
import type { StampedFile } from './attribute-cache.ts'
import type { OpenFence } from './fence.ts'
import type { FileStamp } from './file-identity.ts'
import { headObject } from './object-files.ts'
import { type PutDone, type PutOrder, putFile, type Taken, takeFile } from './put-file.ts'

/** Attempts while other programs change the files of an object whose lock a writer holds. */
const attempts = 16

/** A file with all bytes of an object. */
interface WholeFile {
  readonly path: string
  /** Gives the file its final form and returns the result. */
  shape(): Promise<FileStamp>
  /** Makes the file durable in that form. */
  flush(): Promise<void>
}

/** A file that already has its final form and is durable. */
export function sealedFile(path: string, stamp: FileStamp): WholeFile {
  return { path, shape: () => Promise.resolve(stamp), flush: () => Promise.resolve() }
}

/** A file that is to become an object. */
interface LocalPublication extends Omit<PutOrder, 'fence' | 'identity' | 'path'> {
  readonly file: WholeFile
  readonly attributes: Attributes
  /**
   * Whether to shape the file under the key's lock, when the conditions hold: shaping it removes bytes that would be
   * needed if a condition failed.
   */
  readonly shapesLate?: boolean
  /** Whether the file is already an object at another name, which keeps its record if this fails. */
  readonly isLinked?: boolean
}

/** The folders created for an object path, and its open folder until the file is moved into it. */
interface TargetFolder {
  readonly made: readonly MadeName[]
  folder: OpenFolder | undefined
}

/** As Draft.publish. */
export async function publishFile(
  drive: OpenDrive,
  publication: LocalPublication,
): Promise<ObjectMetadata> {
  const { objectPath } = publication
  const { folder, made, entry } = await ensureFolder(drive, objectPath, objectPath.natural)
  const target: TargetFolder = { made, folder }
  try {
    const { file, done } = await put(drive, publication, target)
    // The file is the object now, so its record must stay even if a later step fails.
    await finish(drive, objectPath, done)
    const { size, modifiedAtMs } = file
    return { size, modifiedAtMs, attributes: publication.attributes }
  } catch (error) {
    if (made.length > 0) await unmakeFolders(drive, objectPath, objectPath.natural, made)
    throw error
  } finally {
    await target.folder?.close()
    await entry?.close()
  }
}

/** Repeats `putFile` until it succeeds. */
async function put(
  drive: OpenDrive,
  publication: LocalPublication,
  target: TargetFolder,
): Promise<{ readonly file: StampedFile; readonly done: PutDone }> {
  const { objectPath } = publication
  const { made } = target
  let file = publication.shapesLate ? undefined : await seal(drive, publication, made)
  let isPublished = false
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { sealed, result } = await drive.locks.hold(objectPath.path, async (fence) => {
        await requireConditions(drive, objectPath, publication.conditions)
        const sealed = file ?? (await seal(drive, publication, made))
        const { folder } = target
        target.folder = undefined
        const { path } = publication.file
        const order = { ...publication, path, identity: sealed.identity, fence }
        const result = await putFile(drive.root, order, folder)
        isPublished = result.kind === 'done'
        return { sealed, result }
      })
      file = sealed
      if (result.kind === 'done') return { file: sealed, done: result }
      if (result.kind === 'missing') await remake(drive, publication, result.filePath, sealed)
    }
  } catch (error) {
    if (file !== undefined && !isPublished && !publication.isLinked) {
      await forgetUnlessThere(drive, objectPath, file)
    }
    throw error
  }
  throw new DriveError(
    'busy',
    'The object at this key keeps being changed by another client. Try again.',
  )
}

/**
 * Forgets the record of a file that was not published. A call that seemed to fail may have published it; if that can't be
 * determined, the record stays, because a record without a file does no harm.
 */
async function forgetUnlessThere(drive: OpenDrive, objectPath: ObjectPath, file: StampedFile) {
  const present = await headObject(drive, objectPath).catch(() => 'unknown' as const)
  if (present === 'unknown' || present?.file.identity === file.identity) return
  drive.attributeCache.forget(file.identity)
}

/** As Drive.remove. */
export async function removeObject(
  drive: OpenDrive,
  objectPath: ObjectPath,
  conditions: WriteConditions | undefined,
): Promise<boolean> {
  const entry = drive.journal.open()
  try {
    if (objectPath.natural.folder !== objectPath.bucket) {
      await entry.note({ bucket: objectPath.bucket, key: objectPath.key, making: [] })
    }
    return await removeFrom(drive, objectPath, conditions)
  } finally {
    await entry.close()
  }
}

async function removeFrom(
  drive: OpenDrive,
  objectPath: ObjectPath,
  conditions: RemovalConditions | undefined,
): Promise<boolean> {
  const taken = await drive.locks.hold(objectPath.path, async (fence) => {
    await requireConditions(drive, objectPath, conditions)
    const moved = await takeBoth(drive, objectPath, fence)
    if (moved.length === 0 && needsObject(conditions)) throw removedMeanwhile()
    return moved
  })
  if (taken.length === 0) await requireOwnFolder(drive.root)
  for (const { filePath, folder, gone } of taken) {
    await makeDurable(drive, folder)
    if (gone !== undefined) drive.attributeCache.forget(gone)
    // The object is deleted: a folder that cannot be removed now must not fail the request.
    await unmakeFolders(drive, objectPath, filePath, [])
  }
  return taken.length > 0
}

/**
 * If both files exist, the natural one is the object. It is removed last, so that the other one
 * never becomes visible.
 */
async function takeBoth(
  { root }: OpenDrive,
  { natural, alternative }: ObjectPath,
  fence: OpenFence,
): Promise<Taken[]> {
  const hidden = await takeFile(root, alternative, { fence })
  try {
    const shown = await takeFile(root, natural, { fence })
    return [hidden, shown].filter((one) => one !== undefined)
  } catch (error) {
    await hidden?.folder.close()
    throw error
  }
}

async function finish(drive: OpenDrive, objectPath: ObjectPath, { folder, gone, stale }: PutDone) {
  if (gone !== undefined) drive.attributeCache.forget(gone)
  if (stale?.gone !== undefined) drive.attributeCache.forget(stale.gone)
  const other = stale?.folder === folder ? undefined : stale
  // Waits for both: each closes its folder.
  await allDone([makeDurable(drive, folder), other && makeDurable(drive, other.folder)])
  if (other !== undefined) await unmakeFolders(drive, objectPath, other.filePath, [])
}

/** Makes the names in a folder durable, and closes it. */
export async function makeDurable(drive: OpenDrive, folder: OpenFolder): Promise<void> {
  try {
    await drive.sync.makeDurable(folder)
  } finally {
    await folder.close()
  }
}

/** Creates a folder that was removed because it was still empty, or that is only needed now. */
async function remake(
  drive: OpenDrive,
  publication: LocalPublication,
  filePath: FilePath,
  file: StampedFile,
): Promise<void> {
  const { folder, made, entry } = await ensureFolder(drive, publication.objectPath, filePath)
  try {
    await folder.close()
    if (made.length > 0)
      await drive.attributeCache.save(file, publication.attributes, identitiesOf(made))
  } finally {
    await entry?.close()
  }
}

/** Makes the bytes and the attributes durable, before the object becomes visible. */
async function seal(
  drive: OpenDrive,
  publication: LocalPublication,
  made: readonly MadeName[],
): Promise<StampedFile> {
  const { objectPath, attributes, file } = publication
  const stamped = { ...(await file.shape()), path: objectPath.path }
  const saved = drive.attributeCache.save(stamped, attributes, identitiesOf(made))
  await allDone([file.flush(), saved])
  return stamped
}

async function requireConditions(
  drive: OpenDrive,
  objectPath: ObjectPath,
  conditions: RemovalConditions | undefined,
): Promise<void> {
  if (!isConditional(conditions)) return conditions?.assertMayGoOn?.()
  const present = await headObject(drive, objectPath)
  assertRemovalConditions(objectPath, versionOf(present?.metadata), conditions)
}

/** Whether the conditions require an object. */
function needsObject({ ifMatch, ifModifiedAtMs }: RemovalConditions = {}): boolean {
  return ifMatch !== undefined || ifModifiedAtMs !== undefined
}

/** The lock was taken over since the conditions held, or the file was removed by hand. */
function removedMeanwhile(): DriveError {
  const message = 'Another client removed the object at this moment. Try again.'
  return new DriveError('busy', message, { retryAfterSeconds: 1 })
}

function isConditional({ ifMatch, ifNoneMatch, ifModifiedAtMs }: RemovalConditions = {}): boolean {
  return ifMatch !== undefined || ifNoneMatch !== undefined || ifModifiedAtMs !== undefined
}

function identitiesOf(made: readonly MadeName[]): string[] {
  return made.map(({ identity }) => identity)
}
