import type { AttributeChange } from '../../attributes.ts'
import type { ObjectMetadata } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { changedAttributes } from '../../object-lock.ts'
import { createTempFile, type LocalRoot } from '../local-root.ts'
import type { ObjectPath } from '../object-path.ts'
import type { OpenDrive } from '../open-drive.ts'
import { withVersionId } from '../versions/counted-versions.ts'
import { findVersion, withRequestedId } from '../versions/find-version.ts'
import { describe, isSameFile } from './file-identity.ts'
import { metadataOf, type ObjectFile } from './object-files.ts'
import { fsyncFile } from './paced-files.ts'

/** The minimum change of the modification time, and distance from the next whole millisecond. */
const minMoveMs = 0.002

/**
 * As Drive.setAttributes. A record never changes, so the file gets another identity: the changed record is saved under it
 * first, then the modification time moves within its millisecond, which is the version ID. Every process sees by the status of the file that it has
 * another record (docs/decisions/0002-attributes-by-file-identity.md).
 *
 * The time is changed through the open file, without a fence: it stays the same version, even if the key is overwritten
 * meanwhile by a process that has taken over the lock.
 */
export async function setAttributes(
  drive: OpenDrive,
  objectPath: ObjectPath,
  change: AttributeChange,
  versionId?: string,
): Promise<ObjectMetadata | undefined> {
  // Without a lock, two changes could give the same identity to different attributes.
  return await drive.locks.hold(objectPath.path, async () => {
    const found = await findVersion(drive, objectPath, versionId)
    if (found?.kind !== 'object') return undefined
    const { file } = found
    try {
      const metadata = await changeFile(drive, objectPath, { file, change })
      return withRequestedId(metadata, versionId)
    } finally {
      await drive.root.files.close(file.fd)
    }
  })
}

async function changeFile(
  drive: OpenDrive,
  objectPath: ObjectPath,
  { file, change }: { readonly file: ObjectFile; readonly change: AttributeChange },
): Promise<ObjectMetadata> {
  const { root, attributeCache } = drive
  const metadata = await metadataOf(drive, objectPath, file)
  const attributes = changedAttributes(metadata.attributes, change)
  const mtimeMs = await movedTime(root, file.stats.mtimeMs)
  const moved = Object.assign(Object.create(file.stats), { mtimeMs })
  const { identity, modifiedAtMs } = describe(moved, root)
  const record = { identity, modifiedAtMs, size: file.size, path: objectPath.path }
  await attributeCache.save(record, attributes, [])
  try {
    // Saving the record may have taken a while: a file edited meanwhile must not get the old time and the record.
    if (!isSameFile(await root.files.fstat(file.fd), file.stats, root.hasBirthtime)) throw changed()
    await root.files.setModified(file.fd, mtimeMs)
    const now = await root.files.fstat(file.fd)
    if (!isSameFile(now, moved, root.hasBirthtime)) throw changed()
    if (now.nlink === 0) attributeCache.forget(identity)
    await fsyncFile(file.fd)
  } catch (error) {
    await forgetUnless(drive, file, identity)
    throw error
  }
  attributeCache.forget(file.identity)
  return withVersionId(drive.versioningOf(objectPath.bucket), {
    size: file.size,
    modifiedAtMs,
    attributes,
  })
}

/** Each step uses up to this share of the rest of the millisecond, which leaves room for 150 changes of a new object. */
const stepShare = 1 / 64

/**
 * Another time in the same millisecond, in the form in which the file system stores it: it is tried on another file, because
 * file systems store different fractions. It is a later one, as long as there is room, so that the file never has an earlier
 * identity again, whose record another process may have in memory. It is random, so that a suspended process can't later give
 * another file the same identity.
 *
 * @throws DriveError `unsupported` if the file system stores no fractions
 */
async function movedTime(root: LocalRoot, timeMs: number): Promise<number> {
  const wholeMs = Math.floor(timeMs)
  const isAnother = (ms: number) =>
    Math.floor(ms) === wholeMs && Math.abs(ms - timeMs) >= minMoveMs && ms - wholeMs >= minMoveMs
  const endMs = wholeMs + 1 - minMoveMs
  const stepMs = Math.max((endMs - timeMs) * stepShare, 2 * minMoveMs)
  const [startMs, rangeMs] =
    timeMs + stepMs < endMs ? [timeMs, stepMs] : [wholeMs, endMs - wholeMs - minMoveMs]
  let wanted: number
  do wanted = startMs + minMoveMs + Math.random() * rangeMs
  while (!isAnother(wanted))
  const { path, fd } = await createTempFile(root)
  try {
    await root.files.setModified(fd, wanted)
    const { mtimeMs } = await root.files.fstat(fd)
    if (isAnother(mtimeMs)) return mtimeMs
  } finally {
    await root.files.close(fd)
    await root.files.unlink(path)
  }
  const message =
    'The file system stores modification times too coarsely to change the tags of an object in place. Write or copy the object with other tags.'
  throw new DriveError('unsupported', message)
}

/** Forgets the record unless the file has its identity: a call that seemed to fail may have changed the time. */
async function forgetUnless(
  { root, attributeCache }: OpenDrive,
  file: ObjectFile,
  identity: string,
) {
  const now = await Promise.resolve(root.files.fstat(file.fd)).catch(() => undefined)
  if (now !== undefined && describe(now, root).identity !== identity)
    attributeCache.forget(identity)
}

function changed(): DriveError {
  return new DriveError('changed', 'The file was changed by another program at this moment.')
}
