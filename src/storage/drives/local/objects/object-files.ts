/** Finds and opens the files of objects, never through a symbolic link. */
import type { Stats } from 'node:fs'
import type { HeadOptions, ObjectMetadata } from '../../drive.ts'
import { isRealPath } from '../folders/open-folder.ts'
import { codeOf, isAbsent } from '../fs-error.ts'
import { type LocalRoot, requireOwnFolder } from '../local-root.ts'
import type { FilePath, ObjectPath } from '../object-path.ts'
import type { OpenDrive } from '../open-drive.ts'
import { withVersionId } from '../versions/counted-versions.ts'
import { describe, type FileStamp } from './file-identity.ts'
import { readFlags } from './paced-files.ts'

/** One version of an object: an open file. The caller must close it. */
export interface ObjectFile extends FileStamp {
  readonly fd: number
  readonly path: string
  readonly stats: Stats
}

/** What is still valid after the object's file was closed. */
export type ClosedFile = Omit<ObjectFile, 'fd'>

/** A file is looked up twice at its natural and alternative path, because it may be moved from one to the other meanwhile. */
const looks = 4

/** Undefined if the object does not exist. */
export async function openObject(
  drive: OpenDrive,
  objectPath: ObjectPath,
): Promise<ObjectFile | undefined> {
  for (let look = 0; look < looks; look++) {
    const file = await openAt(
      drive.root,
      look % 2 === 0 ? objectPath.natural : objectPath.alternative,
    )
    if (file !== undefined) return file
  }
  // The object may seem to be missing because the drive is not mounted.
  await requireOwnFolder(drive.root)
  return undefined
}

export async function metadataOf(
  drive: OpenDrive,
  objectPath: ObjectPath,
  file: ObjectFile,
  options: HeadOptions = {},
): Promise<ObjectMetadata> {
  const { identity, size, modifiedAtMs } = file
  const stamped = { identity, path: objectPath.path, size, modifiedAtMs }
  const attributes = options.acceptsProvisional
    ? await drive.attributeCache.ofOrProvisional(stamped)
    : await drive.attributeCache.of(stamped)
  return withVersionId(drive.versioningOf(objectPath.bucket), { size, modifiedAtMs, attributes })
}

/** The object's metadata; leaves no file open. */
export async function headObject(
  drive: OpenDrive,
  objectPath: ObjectPath,
  options?: HeadOptions,
): Promise<{ metadata: ObjectMetadata; file: ClosedFile } | undefined> {
  const opened = await openObject(drive, objectPath)
  if (opened === undefined) return undefined
  const { fd, ...file } = opened
  try {
    return { metadata: await metadataOf(drive, objectPath, opened, options), file }
  } finally {
    await drive.root.files.close(fd)
  }
}

/** Undefined if there is no file, or the path leads through a symbolic link. */
export async function openAt(root: LocalRoot, filePath: FilePath): Promise<ObjectFile | undefined> {
  const { files } = root
  const folder = `${root.path}/${filePath.folder}`
  const path = `${folder}/${filePath.name}`
  // Checked first, so that no device or FIFO is opened and no exception is thrown for a missing file.
  if (!(await files.lstat(path))?.isFile()) return undefined
  const fd = await openPath(root, path)
  if (fd === undefined) return undefined
  try {
    const stats = await files.fstat(fd)
    if (stats.isFile() && (await isRealPath(root, { fd, path, folder }))) {
      return { fd, path, stats, ...describe(stats, root) }
    }
  } catch (error) {
    await files.close(fd)
    throw error
  }
  await files.close(fd)
  return undefined
}

async function openPath(root: LocalRoot, path: string): Promise<number | undefined> {
  try {
    return await root.files.open(path, readFlags)
  } catch (error) {
    // ENXIO: a socket replaced the file since it was checked.
    if (isAbsent(error) || codeOf(error) === 'ENXIO') return undefined
    throw error
  }
}
