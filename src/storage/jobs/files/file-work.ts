import type { Attributes, LockRules } from '../../drives/attributes.ts'
import type { Drive } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import { trashBucketOf } from '../../drives/trash-bucket.ts'
import { changeDeleted } from '../deleted-versions.ts'
import type { Run } from '../job-runner.ts'
import { walk } from '../walk.ts'
import { type Carrying, carry } from './carry.ts'
import { deleteCopies } from './delete-copies.ts'
import { deletePaths, leftOver } from './delete-paths.ts'
import { type FileFigures, type FileOrder, isFolder, type PathPair } from './file-order.ts'
import type { Transfer } from './transfer-object.ts'

/** Objects of a move or a copy are counted up to here. */
const countedObjects = 20_000

/** What the work needs. */
export interface FileWorld {
  readonly drive: Drive
  /** Whether versions of the bucket are enabled: a removal then keeps the object, and the trash is not used. */
  readonly keepsRemoved: (bucket: string) => boolean
  /** Whether the bucket has a trash of the gateway. */
  readonly hasTrash: (bucket: string) => boolean
  /** As ExpiryWorld.lockRules. */
  readonly lockRules: (bucket: string) => Promise<LockRules | undefined>
  /** The lock that a new version in the bucket gets. */
  readonly newLock: (bucket: string) => Promise<Pick<Attributes, 'retention'>>
  /**
   * Runs work that adds bytes to a bucket.
   *
   * @throws DriveError `full` if the bucket's quota would be exceeded
   */
  readonly withinRoom: (bucket: string, bytes: number, work: Transfer) => ReturnType<Transfer>
}

/** Carries out an order. Returns a user-facing message about what remains, or ''. */
export async function workOn(
  order: FileOrder,
  world: FileWorld,
  run: Run,
  figures: FileFigures,
): Promise<string> {
  const { drive } = world
  const { action, bucket, paths, trashId, untilMs } = order
  if (!needsPairs(order, world)) figures.isUndoable = false
  switch (action) {
    case 'move':
    case 'copy':
      return await place(order, world, run, figures)
    case 'trash':
      // While versions are enabled, a removal keeps the object.
      if (trashId === undefined) {
        const assertMayGoOn = () => assertKept(world, bucket)
        if (untilMs === undefined) {
          return await deletePaths({ drive, bucket, paths, assertMayGoOn }, run, figures)
        }
        await deleteCopies({ drive, bucket, paths, untilMs, assertMayGoOn }, run, figures)
        return ''
      }
      return await moveToTrash(order, trashId, world, run, figures)
    case 'restore':
      return await restore(order, world, run, figures)
    case 'delete':
      return await deletePaths({ drive, bucket, paths }, run, figures)
    case 'empty': {
      const trash = trashBucketOf(bucket)
      await drive.addBucket(trash)
      const start = trashId === undefined ? '' : `${trashId}/`
      const all = { drive, bucket: trash, paths: paths.map((path) => start + path) }
      return await deletePaths(all, run, figures)
    }
    case 'undelete':
    case 'erase':
      return await changeVersions(order, action, world, run, figures)
  }
}

/** Whether what was moved or copied has to be known to undo the order. */
function needsPairs({ action, to }: FileOrder, world: FileWorld): boolean {
  if (action === 'move') return true
  return action === 'copy' && to !== undefined && keepsDeleted(world, to.bucket)
}

/** Whether what is deleted from the bucket can be restored. */
export function keepsDeleted(world: Pick<FileWorld, 'keepsRemoved' | 'hasTrash'>, bucket: string) {
  return world.keepsRemoved(bucket) || world.hasTrash(bucket)
}

/** @throws DriveError if a removal would be permanent */
function assertKept({ keepsRemoved }: FileWorld, bucket: string): void {
  if (keepsRemoved(bucket)) return
  throw new DriveError('denied', 'Versioning was suspended meanwhile. Delete the rest again.')
}

async function place(
  { action, bucket, paths, to, answers, taken = 'skip' }: FileOrder,
  world: FileWorld,
  run: Run,
  figures: FileFigures,
): Promise<string> {
  const { drive } = world
  const toBucket = to?.bucket ?? bucket
  figures.total ??= await countObjects(drive, bucket, paths, run.signal)
  const isCopy = action === 'copy'
  const addsBytes = isCopy || toBucket !== bucket
  const carrying: Carrying = {
    ...{ drive, fromBucket: bucket, toBucket, keepsSource: isCopy, taken },
    attributesOf: lockedAnew(world, toBucket),
    ...{ pairs: paths.map((from, index): PathPair => [from, to?.paths[index] ?? from]) },
    ...{ answers, makesFolders: true },
    ...(addsBytes && {
      withinRoom: (bytes: number, work: Transfer) => world.withinRoom(toBucket, bytes, work),
    }),
  }
  await carry(carrying, run, figures)
  if (isCopy || figures.skipped > 0) return ''
  return await remains({ bucket, paths }, world, run)
}

/** A copy does not have the lock of its source (User Guide, "Copying, moving, and renaming objects"). */
function lockedAnew({ newLock }: FileWorld, bucket: string) {
  return async ({ retention: _, legalHold: __, ...kept }: Attributes) => ({
    ...kept,
    ...(await newLock(bucket)),
  })
}

async function moveToTrash(
  { bucket, paths, untilMs }: FileOrder,
  trashId: string,
  world: FileWorld,
  run: Run,
  figures: FileFigures,
): Promise<string> {
  const { drive } = world
  const toBucket = trashBucketOf(bucket)
  await drive.addBucket(toBucket)
  const pairs = paths.map((path): PathPair => [path, `${trashId}/${path}`])
  const carrying: Carrying = {
    ...{ drive, fromBucket: bucket, toBucket, pairs, untilMs },
    // The trash has an object of this name if the job was repeated, and the object written again meanwhile.
    ...{ keepsSource: false, taken: 'keep-both', makesFolders: false },
  }
  await carry(carrying, run, figures)
  if (figures.skipped > 0) return ''
  return await remains({ bucket, paths }, world, run)
}

async function restore(
  { bucket, paths, trashId = '', taken = 'skip' }: FileOrder,
  world: FileWorld,
  run: Run,
  figures: FileFigures,
): Promise<string> {
  const { drive } = world
  const fromBucket = trashBucketOf(bucket)
  await drive.addBucket(fromBucket)
  const pairs = paths.map((path): PathPair => [`${trashId}/${path}`, path])
  const carrying: Carrying = {
    ...{ drive, fromBucket, toBucket: bucket, pairs },
    ...{ keepsSource: false, taken, makesFolders: false, namesTarget: true },
    // The bucket may have got Object Lock since.
    attributesOf: lockedAnew(world, bucket),
  }
  await carry(carrying, run, figures)
  return ''
}

/** Folders were restored from these times on, single objects whenever they were deleted. */
async function changeVersions(
  { bucket, paths, sinceMs }: FileOrder,
  kind: 'undelete' | 'erase',
  { drive, lockRules }: FileWorld,
  run: Run,
  figures: FileFigures,
): Promise<string> {
  const lock = await lockRules(bucket)
  let message = ''
  while (figures.paths < paths.length) {
    const prefix = paths[figures.paths] ?? ''
    const where = isFolder(prefix) ? { prefix, sinceMs } : { prefix, keys: [prefix] }
    const change = { ...{ bucket, kind, lock }, ...where }
    message = (await changeDeleted(drive, change, run, figures)) || message
    figures.paths += 1
  }
  return message
}

/** Names a folder that is still there, as a user-facing message, or ''. */
async function remains(
  { bucket, paths }: Pick<FileOrder, 'bucket' | 'paths'>,
  { drive }: FileWorld,
  { signal }: Run,
): Promise<string> {
  for (const path of paths) {
    const message = isFolder(path) ? await leftOver(drive, bucket, path, signal) : ''
    if (message !== '') return message
  }
  return ''
}

/** Undefined if there are too many. */
async function countObjects(
  drive: Pick<Drive, 'list'>,
  bucket: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<number | undefined> {
  let count = 0
  for (const path of paths) {
    if (isFolder(path)) {
      for await (const entries of walk({ drive, bucket, prefix: path, signal })) {
        count += entries.length
        if (count > countedObjects) return undefined
      }
    } else count += 1
  }
  return count
}
