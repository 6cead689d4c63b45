import { basename, dirname, join } from 'node:path'
import { thisProcess } from '../../../platform/process/identity.ts'
import { DriveError } from '../drive-error.ts'
import { type FileCalls, fileCallsOf, fs } from './file-calls.ts'
import { FileClock } from './file-clock.ts'
import {
  type FolderRoot,
  makeFolderDurably,
  makePrivateFolder,
  OpenFolder,
  syncFolderAt,
} from './folders/open-folder.ts'
import { missingDrive, OwnFolders, ownFolderName } from './folders/own-folders.ts'
import { codeOf, unlessAbsent, withDriveErrors } from './fs-error.ts'
import { doesBirthtimeLast, folderIdentityOf } from './objects/file-identity.ts'
import { PacedFiles } from './objects/paced-files.ts'

/** The identity of the drive's own folder when it was last checked. It changes when the drive is remounted or restored. */
interface OwnFolderSeen {
  device: number
  identity: string
}

/** The drive's folder when it was opened. Only `own` changes later. */
export interface LocalRoot extends FolderRoot {
  /** Whether nothing may be written to it. The drive's own folder may then be missing. */
  readonly isReadOnly: boolean
  /** The folder whose existence shows that the drive is mounted: its own folder, or the root if it has none. */
  readonly ownPath: string
  readonly folders: OwnFolders
  readonly own: OwnFolderSeen
  /** The text of the owner note; undefined when there is none. */
  readonly ownerNote: string | undefined
  /** Whether the file system keeps birth times, which are then part of a file's identity. */
  readonly hasBirthtime: boolean
  /** Whether a power failure never keeps a change of a name and loses an earlier one, in whatever folder. */
  readonly ordersNames: boolean
  /** Whether a power failure leaves no file. */
  readonly isInMemory: boolean
  readonly clock: FileClock
  /** Undefined if the file system is on a disk. */
  readonly calls: FileCalls | undefined
  /** Limits the buffers of readers of large objects. */
  readonly readMemory: ReadMemory
}

/** Enough for the buffers of 128 readers. */
const readMemoryBytes = 64 * 1024 * 1024

/** Limits the memory of all readers of a process together. It only counts bytes: each reader allocates its own buffers. */
class ReadMemory {
  #freeBytes = readMemoryBytes

  /** Whether a reader may use this many bytes. If so, it must return them with `give`. */
  take(bytes: number): boolean {
    if (bytes > this.#freeBytes) return false
    this.#freeBytes -= bytes
    return true
  }

  give(bytes: number): void {
    this.#freeBytes += bytes
  }
}

/**
 * Creates the root and the drive's own folders if they are missing.
 * @throws DriveError `denied` or `unavailable` with a user-facing message when the folder cannot be used
 */
export function openLocalRoot(path: string): Promise<LocalRoot> {
  return withDriveErrors(`use ${path} as a drive`, async () => {
    const real = await makeFolderDurably(path)
    const own = join(real, ownFolderName)
    await makePrivateFolder(own)
    const shared = await sharedParts(real)
    const { folders } = shared
    await folders.open()
    await makePrivateFolder(processFolderOf(shared))
    // Otherwise a power failure could lose it with acknowledged objects below it.
    await syncFolderAt(real)
    const stats = await fs.promises.lstat(own)
    const hasBirthtime = await doesBirthtimeLast(processFolderOf(shared))
    const root: LocalRoot = {
      ...shared,
      isReadOnly: false,
      ownPath: own,
      own: { device: stats.dev, identity: folderIdentityOf(stats, hasBirthtime) },
      hasBirthtime,
      clock: new FileClock(
        () => processFolderOf(root),
        () => remakeProcessFolder(root),
      ),
    }
    return root
  })
}

/**
 * As `openLocalRoot`, but creates and writes nothing.
 * @throws DriveError `unavailable` when the folder does not exist
 */
export function openReadOnlyRoot(path: string): Promise<LocalRoot> {
  return withDriveErrors(`use ${path} as a drive`, async () => {
    const real = await fs.promises.realpath(path)
    const own = join(real, ownFolderName)
    const ownPath = (await unlessAbsent(() => fs.promises.lstat(own)))?.isDirectory() ? own : real
    const stats = await fs.promises.lstat(ownPath)
    // As libuv reports it: without birth times, it is the time of the last change.
    const hasBirthtime = stats.birthtimeMs > 0 && stats.birthtimeMs !== stats.ctimeMs
    return {
      ...(await sharedParts(real)),
      isReadOnly: true,
      ownPath,
      own: { device: stats.dev, identity: folderIdentityOf(stats, hasBirthtime) },
      hasBirthtime,
      clock: new FileClock(undefined),
    }
  })
}

/** @param real the root, without symbolic links */
async function sharedParts(real: string) {
  const folderRoot = await folderRootAt(real)
  const { type } = await fs.promises.statfs(real)
  return {
    ...folderRoot,
    folders: new OwnFolders(folderRoot),
    ownerNote: await readOwnerNote(folderRoot),
    readMemory: new ReadMemory(),
    ordersNames: orderedTypes.has(type),
    isInMemory: type === tmpfsType,
  }
}

/** As in statfs(2), which lists the types. */
const tmpfsType = 0x01021994
/**
 * ext4, XFS and ZFS: their journals have the changes of all folders in their order. Btrfs may log one folder alone. Of tmpfs,
 * a power failure keeps nothing.
 */
const orderedTypes = new Set([0xef53, 0x58465342, 0x2fc12fc1, tmpfsType])

/** @param real the root, without symbolic links */
export async function folderRootAt(real: string): Promise<FolderRoot & Pick<LocalRoot, 'calls'>> {
  const calls = fileCallsOf(real)
  const files = new PacedFiles(calls !== undefined)
  const path = real === '/' ? '' : real
  return { path, descriptors: await findDescriptors(real), files, calls }
}

/** The folder of this process in `.bucketry/tmp`. */
export function processFolderOf({ folders }: Pick<LocalRoot, 'folders'>): string {
  return `${folders.at('tmp')}/${encodeURIComponent(thisProcess)}`
}

/**
 * The path of a folder without symbolic links. The folder and those above it need not exist.
 *
 * @throws DriveError `unavailable` with a user-facing message when a symbolic link in the path has no target: creating
 *   the target could fill a disk over which another one is to be mounted
 */
export function realFolderPath(path: string): Promise<string> {
  return withDriveErrors(`use ${path} as a drive`, async () => {
    try {
      return await fs.promises.realpath(path)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      const stats = await unlessAbsent(() => fs.promises.lstat(path))
      if (stats?.isSymbolicLink()) {
        const message = `${path} is a symbolic link to a folder that does not exist.`
        throw new DriveError(
          'unavailable',
          `${message} Mount or create that folder, or correct DRIVE.`,
        )
      }
      return join(await realFolderPath(dirname(path)), basename(path))
    }
  })
}

/** The path of a bucket's folder. */
export function bucketPath(root: LocalRoot, bucket: string): string {
  return `${root.path}/${bucket}`
}

let lastTempNumber = 0

/** A path for a new file of this process on the drive's file system. */
export function newTempPath(
  root: Pick<LocalRoot, 'folders'>,
  folder = processFolderOf(root),
): string {
  return `${folder}/${++lastTempNumber}`
}

/** Creates a temporary file, even if the drive's own folders were deleted. */
export async function createTempFile(root: LocalRoot): Promise<{ path: string; fd: number }> {
  return await inOwnFolders(root, async () => {
    const path = newTempPath(root)
    return { path, fd: await root.files.create(path) }
  })
}

/**
 * Runs `work`, and repeats it if a folder was missing: it was deleted, or another process has fenced this one off.
 * @throws DriveError `unavailable` when the drive is missing
 */
export async function inOwnFolders<T>(root: LocalRoot, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    await remakeProcessFolder(root)
    return await work()
  }
}

/**
 * Makes the folder of this process again, and the drive's own folders that are missing.
 * @throws DriveError `unavailable` when the drive is missing
 */
export async function remakeProcessFolder(root: LocalRoot): Promise<void> {
  // Without its own folder this is not the drive, which may not be mounted.
  await requireOwnFolder(root)
  await root.folders.open()
  await makePrivateFolder(processFolderOf(root))
}

/**
 * Opens the drive's own folders again if other folders are at their paths now. Checks that at most once a second.
 * @throws DriveError `unavailable` when the drive is missing
 */
export async function followOwnFolders(root: LocalRoot): Promise<void> {
  const areThere = root.folders.areThere()
  if (areThere !== true && !(await areThere)) await remakeProcessFolder(root)
}

/**
 * @throws DriveError `unavailable` when the drive's own folder is missing, or is another folder without
 *   the drive's owner note: the drive is not mounted, or was replaced by another one
 */
export async function requireOwnFolder(root: LocalRoot): Promise<void> {
  const { own, hasBirthtime, ownerNote } = root
  const stats = await root.files.lstat(root.ownPath)
  if (stats?.isDirectory()) {
    const identity = folderIdentityOf(stats, hasBirthtime)
    const isSame = stats.dev === own.device && identity === own.identity
    if (isSame) return
    // A drive without a note can only be recognized by its file system if the folder was created again.
    const isAlike = stats.dev === own.device && ownerNote === undefined
    if (isAlike || (ownerNote && (await readOwnerNote(root)) === ownerNote)) {
      if (!root.isReadOnly) await root.folders.open()
      // Remembered, so that the note is not read every time.
      Object.assign(own, { device: stats.dev, identity })
      return
    }
  }
  throw missingDrive()
}

async function readOwnerNote(root: FolderRoot): Promise<string | undefined> {
  const own = await OpenFolder.open(root, ownFolderName)
  try {
    return await own?.read('owner.json')
  } finally {
    await own?.close()
  }
}

/** Whether /proc names this process's open files by their real paths (proc(5)). */
async function findDescriptors(folder: string): Promise<string | undefined> {
  const handle = await fs.promises.open(folder, 'r')
  try {
    // With the PID instead of `self`, the system follows one link less for each name that it resolves.
    const descriptors = `/proc/${await fs.promises.readlink('/proc/self')}/fd/`
    const link = await fs.promises.readlink(`${descriptors}${handle.fd}`)
    return link === folder ? descriptors : undefined
  } catch {
    // There is no /proc on systems other than Linux. Real paths are compared instead.
    return undefined
  } finally {
    await handle.close()
  }
}
