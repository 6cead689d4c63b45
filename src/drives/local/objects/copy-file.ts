import fs from 'node:fs'
import { canCopy } from '../../copy-source.ts'
import {
  type CopyOptions,
  type CopySource,
  DriveError,
  type ObjectMetadata,
  type ObjectName,
} from '../../drive.ts'
import { codeOf } from '../fs-error.ts'
import { createTempFile, type LocalRoot, newTempPath } from '../local-root.ts'
import { localPathOf } from '../object-path.ts'
import type { OpenDrive } from '../open-drive.ts'
import { isSameVersion } from './file-identity.ts'
import { metadataOf, type ObjectFile, openObject } from './object-files.ts'
import { OutputFile } from './output-file.ts'
import { readFlags } from './paced-files.ts'
import { publishFile } from './publisher.ts'

/** As Drive.copy. */
export async function copyObject(
  drive: OpenDrive,
  source: CopySource,
  { bucket, key }: ObjectName,
  { attributes, conditions, signal }: CopyOptions,
): Promise<ObjectMetadata | undefined> {
  const { root } = drive
  const from = localPathOf(source.bucket, source.key)
  const file = await openObject(drive, from)
  if (file === undefined) return undefined
  try {
    const metadata = await metadataOf(drive, from, file)
    if (!canCopy(source, metadata.attributes.etag)) return undefined
    const output = await copyToTemp(root, file, signal)
    try {
      return await publishFile(drive, {
        objectPath: localPathOf(bucket, key),
        path: output.path,
        attributes,
        conditions,
        shape: () => output.shape(),
        flush: () => output.flush(),
      })
    } finally {
      // The path no longer exists unless publishing failed.
      await output.remove()
    }
  } finally {
    await root.files.close(file.fd)
  }
}

/**
 * A temporary file with the bytes of an open one. File systems such as Btrfs and XFS share the blocks;
 * otherwise the bytes are copied in pieces, so that `signal` can stop the copy and no thread is blocked
 * for long.
 * @throws DriveError `changed` when the source is edited meanwhile
 */
async function copyToTemp(
  root: LocalRoot,
  source: ObjectFile,
  signal: AbortSignal | undefined,
): Promise<OutputFile> {
  const output = (await cloneToTemp(root, source.fd)) ?? (await copyToNew(root, source, signal))
  try {
    const now = await root.files.fstat(source.fd)
    if (isSameVersion(now, source, root.hasBirthtime)) return output
    throw new DriveError(
      'changed',
      'The file was changed by another program while it was being copied.',
    )
  } catch (error) {
    await output.remove()
    throw error
  }
}

async function copyToNew(
  root: LocalRoot,
  source: ObjectFile,
  signal: AbortSignal | undefined,
): Promise<OutputFile> {
  const { path, fd } = await createTempFile(root)
  const output = new OutputFile(root, path, fd)
  try {
    await output.copy(source.fd, { size: source.size, signal })
    return output
  } catch (error) {
    await output.remove()
    throw error
  }
}

/** Undefined if the file system cannot share blocks. */
async function cloneToTemp(root: LocalRoot, from: number): Promise<OutputFile | undefined> {
  if (root.descriptors === undefined) return undefined
  const path = newTempPath(root)
  try {
    const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = fs.constants
    // By its descriptor, the source is the opened version, even if another file has its path now.
    const source = `${root.descriptors}${from}`
    await fs.promises.copyFile(source, path, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE)
  } catch (error) {
    if (['ENOSPC', 'EDQUOT', 'EIO'].includes(codeOf(error))) throw error
    return undefined
  }
  const fd = await root.files.open(path, readFlags)
  return new OutputFile(root, path, fd)
}
