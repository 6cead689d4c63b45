import type { CopyOptions, CopySource, ObjectMetadata, ObjectName } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { canCopy } from '../../write-conditions.ts'
import { fs } from '../file-calls.ts'
import { cannotLink, codeOf } from '../fs-error.ts'
import { type LocalRoot, newTempPath } from '../local-root.ts'
import { localPathOf } from '../object-path.ts'
import type { OpenDrive } from '../open-drive.ts'
import { syncFile } from '../relaxed/sync-file-system.ts'
import { findVersion } from '../versions/find-version.ts'
import { isSameFile, isSameVersion } from './file-identity.ts'
import { metadataOf, type ObjectFile } from './object-files.ts'
import { cloneFile, OutputFile } from './output-file.ts'
import { readFlags } from './paced-files.ts'
import { publishFile, sealedFile } from './publisher.ts'

/** As Drive.copy. */
export async function copyObject(
  drive: OpenDrive,
  source: CopySource,
  target: ObjectName,
  options: CopyOptions,
): Promise<ObjectMetadata | undefined> {
  const { root } = drive
  const { attributes, conditions, signal, isMove = false } = options
  const from = localPathOf(source.bucket, source.key)
  const found = await findVersion(drive, from, source.versionId)
  if (found?.kind !== 'object') return undefined
  const { file } = found
  try {
    const metadata = await metadataOf(drive, from, file)
    if (!canCopy(source, metadata.attributes.etag) && !isMove) return undefined
    const shared =
      isMove && mayShare(drive, source, target) ? await linkToTemp(root, file) : undefined
    if (shared !== undefined) {
      return await publishLink(drive, { ...file, path: shared }, target, options)
    }
    const output = await copyToTemp(root, file, signal)
    try {
      const objectPath = localPathOf(target.bucket, target.key)
      return await publishFile(drive, { objectPath, file: output, attributes, conditions })
    } finally {
      // The path no longer exists unless publishing failed.
      await output.remove()
    }
  } finally {
    await root.files.close(file.fd)
  }
}

/** Of two versions of one file, a change of attributes would change both. */
function mayShare({ versioningOf }: OpenDrive, source: ObjectName, target: ObjectName): boolean {
  return [source, target].every(({ bucket }) => versioningOf(bucket) === undefined)
}

/** A temporary name of an open file; undefined if the file system has no hard links. */
async function linkToTemp(root: LocalRoot, file: ObjectFile): Promise<string | undefined> {
  const path = newTempPath(root)
  try {
    await root.files.link(file.path, path)
  } catch (error) {
    if (cannotLink(error)) return undefined
    throw codeOf(error) === 'ENOENT' ? replacedMeanwhile() : error
  }
  const stats = await root.files.lstat(path)
  if (stats !== undefined && isSameFile(stats, file.stats, root.hasBirthtime)) return path
  await fs.promises.rm(path, { force: true })
  throw replacedMeanwhile()
}

/** Publishes a file that has other names, with its time and identity: all its names share one record. */
async function publishLink(
  drive: OpenDrive,
  { path, identity, size, modifiedAtMs }: ObjectFile,
  { bucket, key }: ObjectName,
  { attributes, conditions }: CopyOptions,
): Promise<ObjectMetadata> {
  const sealed = sealedFile(drive.root, path, { identity, size, modifiedAtMs })
  try {
    return await publishFile(drive, {
      ...{ objectPath: localPathOf(bucket, key), attributes, conditions },
      // Its bytes were durable before it became an object, unless that was a relaxed write.
      file: drive.relaxed === undefined ? sealed : { ...sealed, flush: () => syncFile(path) },
      // The record has the path of the source until the conditions hold.
      ...{ isLinked: true, shapesLate: true },
    })
  } finally {
    // If the target already was this file, rename(2) did nothing.
    await fs.promises.rm(path, { force: true })
  }
}

function replacedMeanwhile(): DriveError {
  return new DriveError('changed', 'The object was replaced while it was being moved.')
}

/**
 * A temporary file with the bytes of an open one. It is a clone if the file system can do that. Otherwise the bytes are
 * copied in pieces, so that `signal` can stop the copy and no thread is blocked for long.
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
    if (await isSameVersion(now, source, root)) return output
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
  const output = await OutputFile.temporary(root)
  try {
    await output.copy(source.fd, { size: source.size, signal })
    return output
  } catch (error) {
    await output.remove()
    throw error
  }
}

/** Undefined if the file system can't clone files. */
async function cloneToTemp(root: LocalRoot, from: number): Promise<OutputFile | undefined> {
  if (root.descriptors === undefined) return undefined
  const path = newTempPath(root)
  // By its descriptor, the source is the opened version, even if another file has its path now.
  if (!(await cloneFile(`${root.descriptors}${from}`, path))) return undefined
  const fd = await root.files.open(path, readFlags)
  return new OutputFile(root, path, fd)
}
