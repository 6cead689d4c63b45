import { canCopy, changedSource } from '../../copy-source.ts'
import type { CopyOptions, CopySource, ObjectMetadata, ObjectName } from '../../drive.ts'
import { assertConditions } from '../../write-conditions.ts'
import { GoogleNotFound } from '../api/google-errors.ts'
import type { GoogleFile } from '../api/google-file.ts'
import type { IndexedFile } from '../index/drive-index.ts'
import type { OpenDrive } from '../open-drive.ts'
import { publishAttributes, publishStaged } from './object-publisher.ts'

/**
 * Copies on Google's side. Google copies the file's current content, so the copy is created in the
 * staging folder and checked before it becomes the object.
 */
export async function copyObject(
  drive: OpenDrive,
  source: CopySource,
  target: ObjectName,
  options: CopyOptions,
): Promise<ObjectMetadata | undefined> {
  const [file] = await drive.objects.find(source.bucket, source.key)
  if (file === undefined) return undefined
  if (!canCopy(source, file.etag)) return undefined
  const isSelf = source.bucket === target.bucket && source.key === target.key
  if (isSelf) return await publishAttributes(drive, source, source.etag, options)
  return await copyStaged(drive, file, target, options)
}

async function copyStaged(
  drive: OpenDrive,
  source: IndexedFile,
  target: ObjectName,
  { attributes, conditions, signal }: CopyOptions,
): Promise<ObjectMetadata | undefined> {
  // The publisher checks them again. This check can save a copy.
  const [current] = await drive.objects.find(target.bucket, target.key)
  assertConditions(target, current?.etag, conditions)
  const copied = await copyOf(drive, source, signal)
  if (copied === undefined) return undefined
  try {
    if (copied.md5Checksum !== source.md5) throw changedSource(target)
    return await publishStaged(drive, target, copied, { attributes, conditions })
  } catch (error) {
    await drive.staging.discard(copied.id, target)
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
