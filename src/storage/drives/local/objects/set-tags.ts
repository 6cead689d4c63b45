import { type Tags, withTags } from '../../attributes.ts'
import type { ObjectMetadata } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { createTempFile, type LocalRoot } from '../local-root.ts'
import type { ObjectPath } from '../object-path.ts'
import type { OpenDrive } from '../open-drive.ts'
import { describe, isSameFile, wayOfTags } from './file-identity.ts'
import { metadataOf, type ObjectFile, openObject } from './object-files.ts'
import { fsyncFile } from './paced-files.ts'

/** Between these, a change of tags moves the modification time. */
const leastMoveMs = 0.002
const mostMoveMs = 0.05

/**
 * As Drive.setTags. A record never changes, so the file gets another identity: its modification time moves by some
 * microseconds, and the record with the tags is saved under the new identity before. Every process sees with the file
 * that it has another record (docs/decisions/0002-attributes-by-file-identity.md).
 *
 * The time is changed through the open file, not through a fence: it is the same version, even if the key is
 * overwritten meanwhile, also by a process that has taken over the lock.
 */
export async function setTags(
  drive: OpenDrive,
  objectPath: ObjectPath,
  tags: Tags,
): Promise<ObjectMetadata | undefined> {
  // Without a lock, two changes could give the same identity to different tags.
  return await drive.locks.hold(objectPath.path, async () => {
    const file = await openObject(drive, objectPath)
    if (file === undefined) return undefined
    try {
      return await tagFile(drive, objectPath, { file, tags })
    } finally {
      await drive.root.files.close(file.fd)
    }
  })
}

async function tagFile(
  drive: OpenDrive,
  objectPath: ObjectPath,
  { file, tags }: { readonly file: ObjectFile; readonly tags: Tags },
): Promise<ObjectMetadata> {
  const { root, attributeCache } = drive
  const metadata = await metadataOf(drive, objectPath, file)
  const attributes = withTags(metadata.attributes, tags)
  const mtimeMs = await movedTime(root, file.stats.mtimeMs)
  const moved = Object.assign(Object.create(file.stats), { mtimeMs })
  const { identity, modifiedAtMs } = describe(moved, root)
  const record = { identity, modifiedAtMs, size: file.size, path: objectPath.path }
  await attributeCache.save(record, attributes, [])
  try {
    // The record may have taken a while: an edit by hand must not get the old time and record.
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
  return { size: file.size, modifiedAtMs, attributes }
}

/**
 * The time near this one that the file will have, tried on another file: file systems store different fractions.
 * It is random, so that an identity that a suspended process was about to give comes only once.
 *
 * @throws DriveError `unsupported` if the file system stores no fractions
 */
async function movedTime(root: LocalRoot, timeMs: number): Promise<number> {
  const moveMs = leastMoveMs + Math.random() * (mostMoveMs - leastMoveMs)
  const { path, fd } = await createTempFile(root)
  try {
    await root.files.setModified(fd, timeMs + wayOfTags(timeMs) * moveMs)
    const { mtimeMs } = await root.files.fstat(fd)
    if (mtimeMs !== timeMs && Math.abs(mtimeMs - timeMs) <= 2 * mostMoveMs) return mtimeMs
  } finally {
    await root.files.close(fd)
    await root.files.unlink(path)
  }
  const message =
    'The file system stores modification times too coarsely to change the tags of an object in place. Write or copy the object with other tags.'
  throw new DriveError('unsupported', message)
}

/** A call that seemed to fail may have changed the time. */
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
