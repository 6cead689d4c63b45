import type { ObjectName } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import type { FolderMoveOptions } from '../../folder-calls.ts'
import type { KeyLease } from '../../kit/key-leases.ts'
import { isLegalKey } from '../../kit/names/key-path.ts'
import { googlePathOf, maxFolders, nameOfSegment } from '../google-names.ts'
import { refreshFile } from '../index/apply-changes.ts'
import type { IndexedFile } from '../index/drive-index.ts'
import { IndexCursor } from '../index/index-cursor.ts'
import { indexedFile } from '../index/indexed-file.ts'
import { findMissedFolders } from '../index/object-index.ts'
import type { OpenDrive } from '../open-drive.ts'
import { ensureFolder, removeEmptyFolders } from './google-folders.ts'
import { folderLeaseKey, isWriterIn, moveLeaseKey, moveRecord } from './recovery-record.ts'

const pageEntries = 1_000
/** Google's limit for folders in folders. */
const mostLevels = 100

/** A folder, by its key. */
interface Place extends ObjectName {
  readonly segments: readonly string[]
}

interface FolderMove extends FolderMoveOptions {
  readonly drive: OpenDrive
  readonly source: Place
  readonly target: Place
}

/**
 * As Drive.moveFolder (docs/decisions/0065-folders-in-one-step.md). Google changes the name and the parent of a folder in
 * one call (Drive API, files.update), and its ID says later whether that was done.
 */
export async function moveFolder(
  drive: OpenDrive,
  from: ObjectName,
  to: ObjectName,
  options: FolderMoveOptions,
): Promise<number | undefined> {
  const [source, target] = [placeOf(from), placeOf(to)]
  if (!mayMove(source, target)) return undefined
  const move: FolderMove = { ...options, drive, source, target }
  const { earlier } = options
  if (earlier !== undefined) {
    await refreshFile(drive, earlier)
    if (await isAt(drive, target, earlier)) return await finish(move)
    if (!(await isAt(drive, source, earlier))) return 0
  }
  await drive.objects.complete(source.bucket, source.segments)
  // Folders of one name count as one folder, which has no single ID.
  const [folder, ...others] = await drive.objects.folders(source.bucket, source.segments)
  if (folder === undefined || others.length > 0 || !(await canHaveNewKeys(move))) return undefined
  if (await isWrittenByUploads(drive, folder.id)) return undefined
  await options.beforeMove(folder.id)
  return (await moveToFree(move, folder)) ? await finish(move) : undefined
}

function placeOf({ bucket, key }: ObjectName): Place {
  return { bucket, key, segments: key.split('/').slice(0, -1) }
}

function mayMove(source: Place, target: Place): boolean {
  const isInside = source.bucket === target.bucket && target.key.startsWith(source.key)
  const depths = [source, target].map(({ segments }) => segments.length)
  return !isInside && depths.every((depth) => depth > 0 && depth <= maxFolders)
}

async function isAt(drive: OpenDrive, { bucket, segments }: Place, id: string): Promise<boolean> {
  return (await drive.objects.folders(bucket, segments)).some((folder) => folder.id === id)
}

async function* keysIn({ objects }: OpenDrive, { bucket, key }: Place): AsyncGenerator<string> {
  const cursor = new IndexCursor(objects, bucket, { prefix: key, after: '' })
  for (;;) {
    const entries = await cursor.next(pageEntries)
    if (entries.length === 0) return
    for (const entry of entries) yield entry.key
  }
}

/** Whether there is an object, and each file has the right name at the new path as well. */
async function canHaveNewKeys({ drive, source, target }: FolderMove): Promise<boolean> {
  const isAsDeep = source.segments.length === target.segments.length
  let isEmpty = true
  for await (const key of keysIn(drive, source)) {
    const now = target.key + key.slice(source.key.length)
    // The name of a deep file has the rest of its key.
    const isCut = [key, now].some((one) => googlePathOf(one).isDeep)
    if (!isLegalKey(now) || (isCut && !isAsDeep)) return false
    isEmpty = false
  }
  return !isEmpty
}

/** Whether an upload in progress will replace a file in the folder: it would not find the file at its key. */
async function isWrittenByUploads({ records, index }: OpenDrive, id: string): Promise<boolean> {
  let ids = await records.targets()
  for (let depth = 0; depth <= mostLevels && ids.length > 0; depth += 1) {
    const parents = new Set((await index.getMany(ids)).map(({ parent }) => parent))
    if (parents.has(id)) return true
    ids = [...parents]
  }
  return false
}

/** False if the folder stays: the target exists, or the folder is elsewhere now. */
async function moveToFree(move: FolderMove, folder: IndexedFile): Promise<boolean> {
  const { drive, source, target } = move
  const above = target.segments.slice(0, -1)
  const parent = await ensureFolder(drive, target.bucket, above)
  const places = [source, target]
  const writersEnd = () =>
    drive.leases.untilEnded((note) => places.some((place) => isWriterIn(place, note)))
  let isMoved = false
  try {
    // A writer that takes long must not stop others.
    await writersEnd()
    isMoved = await drive.leases.hold(places.map(moveLeaseKey), async (mark) => {
      await writersEnd()
      return await underFolderLeases(move, { folder, parent, mark })
    })
  } finally {
    if (!isMoved) await removeEmptyFolders(drive, target.bucket, above)
  }
  return isMoved
}

interface Step {
  readonly folder: IndexedFile
  /** The ID of the folder to move it to. */
  readonly parent: string
  /** Keeps writers out. */
  readonly mark: KeyLease
}

/** Nobody creates or removes the folders meanwhile. */
async function underFolderLeases(move: FolderMove, step: Step): Promise<boolean> {
  const { drive, source, target } = move
  const { folder, parent, mark } = step
  const above = { ...target, segments: target.segments.slice(0, -1) }
  const all = [source, target, above].map((one) => folderLeaseKey(one.bucket, one.segments))
  const keys = [...new Set(all)]
  const work = async (lease: KeyLease) => {
    const isThere = (await isAt(drive, source, folder.id)) && (await isAt(drive, above, parent))
    if (!isThere || (await isTaken(drive, target, parent))) return false
    move.assertMayGoOn()
    mark.assertHeld()
    return await update(move, step, lease)
  }
  return await drive.leases.hold(keys, work, { note: moveRecord(keys, folder.id) })
}

async function isTaken(drive: OpenDrive, { bucket, segments }: Place, parent: string) {
  if ((await drive.objects.folders(bucket, segments)).length > 0) return true
  return (await findMissedFolders(drive, parent, segments.at(-1) ?? '')).length > 0
}

/** False if Google does not allow it. */
async function update(
  { drive, target }: FolderMove,
  { folder, parent }: Step,
  lease: KeyLease,
): Promise<boolean> {
  const { api, index } = drive
  const parents =
    folder.parent === parent ? {} : { addParents: [parent], removeParents: [folder.parent] }
  lease.assertHeld()
  try {
    const name = nameOfSegment(target.segments.at(-1) ?? '')
    const file = await api.updateFile(folder.id, { name }, { ...parents, signal: lease.signal })
    const row = indexedFile(file)
    if (row !== undefined) await index.save([row], [])
    return true
  } catch (error) {
    if (error instanceof DriveError && error.kind === 'denied') return false
    // The next holder asks Google where the folder is.
    lease.leaveNote()
    throw error
  }
}

/** Does the rest of the move of a folder that is at its new path. */
async function finish({ drive, source, target }: FolderMove): Promise<number> {
  await removeEmptyFolders(drive, source.bucket, source.segments.slice(0, -1))
  let objects = 0
  for await (const _ of keysIn(drive, target)) objects += 1
  return objects
}
