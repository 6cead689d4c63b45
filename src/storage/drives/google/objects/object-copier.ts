import type { CopyOptions, CopySource, ObjectMetadata, ObjectName } from '../../drive.ts'
import { changedSource } from '../../drive-error.ts'
import { assertConditions, canCopy } from '../../write-conditions.ts'
import { GoogleNotFound } from '../api/google-failure.ts'
import type { GoogleFile } from '../api/google-file.ts'
import type { IndexedFile } from '../index/drive-index.ts'
import type { OpenDrive } from '../open-drive.ts'
import { changeAttributes, moveIntoPlace, type NewGoogleObject } from './object-writer.ts'

/**
 * Copies on Google's side. Google copies the file's current content, so the copy is created in the
 * staging folder and checked before it becomes the object.
 */
export async function copyObject(
  drive: OpenDrive,
  source: CopySource,
  target: ObjectName,
  { attributes, conditions, signal }: CopyOptions,
): Promise<ObjectMetadata | undefined> {
  const { objects, staging } = drive
  const [file] = await objects.find(source.bucket, source.key)
  if (file === undefined || !canCopy(source, file.etag)) return undefined
  const object = { attributes, conditions }
  const isSelf = source.bucket === target.bucket && source.key === target.key
  if (isSelf) return await publishAttributes(drive, source, source.etag, object)
  // The publisher checks them again. This check can save a copy.
  const [current] = await objects.find(target.bucket, target.key)
  assertConditions(target, current?.etag, conditions)
  const copied = await copyOf(drive, file, signal)
  if (copied === undefined) return undefined
  try {
    if (copied.md5Checksum !== file.md5) throw changedSource(target)
    return await publishStaged(drive, target, copied, object)
  } catch (error) {
    await staging.discard(copied.id, target)
    throw error
  }
}

async function copyOf(
  { api, staging }: OpenDrive,
  source: IndexedFile,
  signal: AbortSignal | undefined,
): Promise<GoogleFile | undefined> {
  const id = await api.newId()
  try {
    return await staging.within((folderId) =>
      api.copyFile(source.id, { id, name: id, parents: [folderId] }, { signal }),
    )
  } catch (error) {
    if (error instanceof GoogleNotFound) return undefined
    throw error
  }
}

/** Publishes a file of the staging folder. */
async function publishStaged(
  drive: OpenDrive,
  name: ObjectName,
  file: GoogleFile,
  object: NewGoogleObject,
): Promise<ObjectMetadata> {
  return await drive.locks.lock(name, [file.id], async (key) => {
    key.assert(object.conditions)
    return await moveIntoPlace(drive, key, file, object)
  })
}

/** Changes the attributes of the object with this ETag; undefined if the key has no object. */
async function publishAttributes(
  drive: OpenDrive,
  name: ObjectName,
  etag: string,
  object: NewGoogleObject,
): Promise<ObjectMetadata | undefined> {
  return await drive.locks.lock(name, [], async (key) => {
    key.assert(object.conditions)
    if (key.current === undefined) return undefined
    if (key.current.row.etag !== etag) throw changedSource(name)
    return await changeAttributes(drive, key, key.current, object)
  })
}
