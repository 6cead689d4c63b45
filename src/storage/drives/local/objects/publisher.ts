/**
 * Publishes and removes objects: with the thread of small writes, the only code that changes the file of a key.
 * docs/paths/publishing-a-file.md has the order of the steps, with reasons.
 */
import type { Attributes } from '../../attributes.ts'
import type { ObjectMetadata, RemovalConditions, WriteConditions } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { assertRemovalConditions, versionOf } from '../../write-conditions.ts'
import { allDone } from '../file-calls.ts'
import type { JournalEntry } from '../folders/folder-journal.ts'
import { ensureFolder, type MadeName, unmakeFolders } from '../folders/folder-maker.ts'
import type { OpenFolder } from '../folders/open-folder.ts'
import { type LocalRoot, requireOwnFolder } from '../local-root.ts'
import type { FilePath, ObjectPath } from '../object-path.ts'
import type { OpenDrive } from '../open-drive.ts'
import type { RelaxedWrite } from '../relaxed/relaxed-writes.ts'
import { lastChangeMs, withVersionId } from '../versions/counted-versions.ts'
import { type KeyHistory, withHistory } from '../versions/key-history.ts'
import type { StampedFile } from './attribute-cache.ts'
import type { OpenFence } from './fence.ts'
import type { FileIdentity, FileStamp } from './file-identity.ts'
import { headObject } from './object-files.ts'
import { OutputFile } from './output-file.ts'
import {
  type PutDone,
  type PutOrder,
  type PutResult,
  putFile,
  type Taken,
  takeFile,
} from './put-file.ts'

/** Attempts while other programs change the files of an object whose lock a writer holds. */
const attempts = 16

/** A file with all bytes of an object. */
interface WholeFile {
  readonly path: string
  /**
   * Gives the file its final form and returns the result. May be called again.
   *
   * @param afterMs the modification time must be in a later millisecond
   */
  shape(afterMs?: number): Promise<FileStamp>
  /** Makes the file durable in that form. */
  flush(): Promise<void>
}

/** A file that already has its final form and is durable, unless its time is that of another version. */
export function sealedFile(root: LocalRoot, path: string, stamp: FileStamp): WholeFile {
  let isShaped = false
  return {
    path,
    async shape(afterMs) {
      const isSealed = !isShaped
      isShaped = true
      if (isSealed) return stamp
      const output = await OutputFile.open(root, path)
      try {
        const shaped = await output.shape(afterMs)
        await output.flush()
        return shaped
      } finally {
        await output.close()
      }
    },
    flush: () => Promise.resolve(),
  }
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
  /** To be closed when the folders have content, or were removed. */
  readonly entries: (JournalEntry | undefined)[]
}

/** As Draft.publish. */
export async function publishFile(
  drive: OpenDrive,
  publication: LocalPublication,
): Promise<ObjectMetadata> {
  const { objectPath, attributes } = publication
  const { folder, made, entry } = await ensureFolder(drive, objectPath, objectPath.natural)
  const target: TargetFolder = { made, folder, entries: [entry] }
  try {
    const { file, done } = await put(drive, publication, target)
    // The file is the object now, so its record must stay even if a later step fails.
    await finish(drive, objectPath, done, publication.relaxed)
    const { size, modifiedAtMs } = file
    return withVersionId(drive.versioningOf(objectPath.bucket), { size, modifiedAtMs, attributes })
  } catch (error) {
    if (made.length > 0) await unmakeFolders(drive, objectPath, objectPath.natural, made)
    throw error
  } finally {
    await target.folder?.close()
    for (const entry of target.entries) await entry?.close()
  }
}

/** Repeats `putFile` until it succeeds. */
async function put(
  drive: OpenDrive,
  publication: LocalPublication,
  target: TargetFolder,
): Promise<{ readonly file: StampedFile; readonly done: PutDone }> {
  const { objectPath } = publication
  const sealing: Sealing = { drive, publication, made: target.made, file: undefined }
  if (!publication.shapesLate) await seal(sealing)
  let isPublished = false
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const result = await drive.locks.hold(objectPath.path, async (fence) => {
        const result = await withHistory(drive, objectPath, fence, async (history) => {
          await requireConditions(drive, objectPath, publication.conditions)
          await history?.assertReplaceable(sealing.file?.modifiedAtMs ?? Date.now())
          return await putKeeping(sealing, target, fence, history)
        })
        isPublished = result.kind === 'done'
        return result
      })
      const { file } = sealing
      if (result.kind === 'done' && file !== undefined) return { file, done: result }
      if (result.kind === 'missing') {
        const { filePath } = result
        target.entries.push(
          await remake(
            drive,
            objectPath,
            filePath,
            file && { file, attributes: publication.attributes },
          ),
        )
      }
    }
  } catch (error) {
    const { file } = sealing
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
 * Moves the file to its path, after the version that it replaces has got its name in the store.
 *
 * @param history undefined if the bucket never had versions
 */
async function putKeeping(
  sealing: Sealing,
  target: TargetFolder,
  fence: OpenFence,
  history: KeyHistory | undefined,
): Promise<PutResult> {
  const { drive, publication } = sealing
  let file = sealing.file ?? (await seal(sealing))
  for (;;) {
    const afterMs = history?.laterThan(file)
    if (afterMs === undefined) break
    file = await seal(sealing, afterMs)
  }
  await history?.keepCurrent(file.modifiedAtMs)
  // Otherwise a power failure could keep the rename and lose this.
  if (!drive.root.ordersNames) await history?.sync()
  const { folder } = target
  target.folder = undefined
  const { path } = publication.file
  const keepsVersions = history !== undefined
  const order = { ...publication, path, identity: file.identity, fence, keepsVersions }
  const result = await putFile(drive.root, order, folder)
  // What can't be removed stays hidden.
  if (result.kind === 'done') {
    await history?.dropReplacedNulls(file.modifiedAtMs).catch(() => undefined)
  }
  return result.kind === 'done' ? { ...result, history: history?.takeUnsynced() } : result
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
    const work = (relaxed?: RelaxedWrite) => removeFrom(drive, objectPath, conditions, relaxed)
    return await (drive.relaxed?.run(0, work) ?? work())
  } finally {
    await entry.close()
  }
}

async function removeFrom(
  drive: OpenDrive,
  objectPath: ObjectPath,
  conditions: RemovalConditions | undefined,
  relaxed: RelaxedWrite | undefined,
): Promise<boolean> {
  const taken = await drive.locks.hold(objectPath.path, async (fence) => {
    if (drive.versioningOf(objectPath.bucket) !== undefined) throw versionsEnabled()
    await requireConditions(drive, objectPath, conditions)
    const moved = await takeBoth(drive, objectPath, fence)
    if (moved.length === 0 && needsObject(conditions)) throw removedMeanwhile()
    return moved
  })
  if (taken.length === 0) await requireOwnFolder(drive.root)
  await finishTaken(drive, objectPath, taken, relaxed)
  return taken.length > 0
}

/** The wait for the lock, or for a round of relaxed writes, may have been long. */
function versionsEnabled(): DriveError {
  const message = 'Versions of this bucket were enabled at this moment. Try again.'
  return new DriveError('busy', message, { retryAfterSeconds: 1 })
}

/** Makes the removal durable, unless it is relaxed. */
export async function finishTaken(
  drive: OpenDrive,
  objectPath: ObjectPath,
  taken: readonly Taken[],
  relaxed?: RelaxedWrite,
): Promise<void> {
  for (const { filePath, folder, gone } of taken) {
    await (relaxed ? folder.close() : makeDurable(drive, folder))
    forgetGone(drive, gone, relaxed)
    // The object is deleted: a folder that cannot be removed now must not fail the request.
    await unmakeFolders(drive, objectPath, filePath, [])
  }
}

/**
 * If both files exist, the natural one is the object. It is removed last, so that the other one
 * never becomes visible.
 */
export async function takeBoth(
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

export async function finish(
  drive: OpenDrive,
  objectPath: ObjectPath,
  { folder, gone, stale, history }: PutDone,
  relaxed?: RelaxedWrite,
): Promise<void> {
  forgetGone(drive, gone, relaxed)
  forgetGone(drive, stale?.gone, relaxed)
  const other = stale?.folder === folder ? undefined : stale
  const end = (one: OpenFolder) => (relaxed ? one.close() : makeDurable(drive, one))
  // Waits for both: each closes its folder.
  await allDone([folder, other?.folder, history].map((one) => one && end(one)))
  if (other !== undefined) await unmakeFolders(drive, objectPath, other.filePath, [])
}

/** The file was replaced or removed, and has no other name. */
export function forgetGone(
  { attributeCache }: OpenDrive,
  gone: FileIdentity | undefined,
  relaxed: RelaxedWrite | undefined,
): void {
  if (gone === undefined) return
  if (relaxed === undefined) attributeCache.forget(gone)
  else relaxed.forget(gone)
}

/** Makes the names in a folder durable, and closes it. */
export async function makeDurable(drive: OpenDrive, folder: OpenFolder): Promise<void> {
  try {
    await drive.sync.makeDurable(folder)
  } finally {
    await folder.close()
  }
}

/**
 * Creates a folder that was removed because it was still empty, or that is only needed now.
 *
 * @param record with which the folder is stored as the drive's own
 */
export async function remake(
  drive: OpenDrive,
  objectPath: ObjectPath,
  filePath: FilePath,
  record: { readonly file: StampedFile; readonly attributes: Attributes } | undefined,
): Promise<JournalEntry | undefined> {
  const { folder, made, entry } = await ensureFolder(drive, objectPath, filePath)
  try {
    await folder.close()
    if (made.length > 0 && record !== undefined)
      await drive.attributeCache.save(record.file, record.attributes, identitiesOf(made))
    return entry
  } catch (error) {
    await entry?.close()
    throw error
  }
}

/** A file on its way to be published. */
interface Sealing {
  readonly drive: OpenDrive
  readonly publication: LocalPublication
  readonly made: readonly MadeName[]
  file: StampedFile | undefined
}

/** Makes the bytes and the attributes durable, before the object becomes visible. Again if it needs a later time. */
async function seal(sealing: Sealing, laterMs?: number): Promise<StampedFile> {
  const { drive, made, file: former } = sealing
  const { objectPath, attributes, file, relaxed } = sealing.publication
  const afterMs = laterMs ?? lastChangeMs(drive.versioningOf(objectPath.bucket))
  const stamped = { ...(await file.shape(afterMs)), path: objectPath.path }
  const options = { isRelaxed: relaxed !== undefined }
  const saved = drive.attributeCache.save(stamped, attributes, identitiesOf(made), options)
  await allDone([relaxed ? undefined : file.flush(), saved])
  if (former !== undefined) drive.attributeCache.forget(former.identity)
  sealing.file = stamped
  return stamped
}

export async function requireConditions(
  drive: OpenDrive,
  objectPath: ObjectPath,
  conditions: RemovalConditions | undefined,
): Promise<void> {
  if (!isConditional(conditions)) return conditions?.assertMayGoOn?.()
  const present = await headObject(drive, objectPath)
  assertRemovalConditions(objectPath, versionOf(present?.metadata), conditions)
}

/** Whether the conditions require an object. */
export function needsObject({ ifMatch, ifModifiedAtMs }: RemovalConditions = {}): boolean {
  return ifMatch !== undefined || ifModifiedAtMs !== undefined
}

/** The lock was taken over since the conditions held, or the file was removed by hand. */
export function removedMeanwhile(): DriveError {
  const message = 'Another client removed the object at this moment. Try again.'
  return new DriveError('busy', message, { retryAfterSeconds: 1 })
}

function isConditional({ ifMatch, ifNoneMatch, ifModifiedAtMs }: RemovalConditions = {}): boolean {
  return ifMatch !== undefined || ifNoneMatch !== undefined || ifModifiedAtMs !== undefined
}

function identitiesOf(made: readonly MadeName[]): string[] {
  return made.map(({ identity }) => identity)
}
