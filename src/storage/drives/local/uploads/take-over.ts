import crypto from 'node:crypto'
import { DriveError } from '../../drive-error.ts'
import { fs } from '../file-calls.ts'
import { syncFolderAt } from '../folders/durable-folders.ts'
import { codeOf, unlessAbsent } from '../fs-error.ts'
import type { UploadFolder } from './upload-folder.ts'

/** Names of files that hold an upload's bytes after it was taken over. */
const takenDataPrefix = 'data-'
const formerPrefix = 'former-'

/**
 * Copies the bytes of an upload to a new file, and returns its name; durable. Undefined if there are none: they
 * were published or are lost.
 *
 * @param name the present name of the file with the bytes
 *
 * The former process may have been suspended before any line, and may continue at any moment. So its file is first
 * renamed: from then on it can't publish it, and what it still writes to it does not reach the copy's file. The
 * rename and a rename that publishes exclude each other. A conditional Complete publishes another link of the file
 * (put-file.ts): `endPublishing` makes it fail by taking over its lock. If this function is interrupted, the next call
 * continues with the renamed file.
 */
export async function copyToOwnFile(
  upload: UploadFolder,
  name: string,
): Promise<string | undefined> {
  const former = `${upload.path}/${formerPrefix}${crypto.randomUUID()}`
  if (!(await moveAside(upload, name, former))) return undefined
  const look = () => unlessAbsent(() => fs.promises.lstat(former))
  let stats = await look()
  if (stats !== undefined && stats.nlink > 1 && !(await upload.isObject(stats))) {
    await upload.endPublishing()
    stats = await look()
  }
  if (stats === undefined) {
    // Another process, whose lease has expired, took the file over at this moment. The next takeover finds its file.
    throw new DriveError('busy', 'Another process is taking over this upload. Try again.', {
      retryAfterSeconds: 1,
    })
  }
  if (await upload.isObject(stats)) {
    await fs.promises.rm(former, { force: true })
    return undefined
  }
  const copy = `${takenDataPrefix}${crypto.randomUUID()}`
  await copyDurably(former, `${upload.path}/${copy}`)
  await syncFolderAt(upload.path)
  return copy
}

/** Removes what the former processes of a taken upload had, when the state with the copy's name is stored. */
export async function removeFormer(
  folder: string,
  names: readonly string[],
  current: string,
): Promise<void> {
  for (const name of names) {
    const isOther = name.startsWith(takenDataPrefix) && name !== current
    if (isOther || name.startsWith(formerPrefix)) {
      await fs.promises.rm(`${folder}/${name}`, { force: true })
    }
  }
}

/** Whether a process was interrupted while it took over an upload. */
export function isBeingTaken(names: readonly string[]): boolean {
  return names.some((name) => name.startsWith(formerPrefix))
}

/** False if there is nothing to move. */
async function moveAside(upload: UploadFolder, name: string, former: string): Promise<boolean> {
  if (await isRenamed(`${upload.path}/${name}`, former)) return true
  for (const other of await upload.names()) {
    const isOther = other.startsWith(formerPrefix)
    if (isOther && (await isRenamed(`${upload.path}/${other}`, former))) return true
  }
  return false
}

async function isRenamed(from: string, to: string): Promise<boolean> {
  try {
    await fs.promises.rename(from, to)
    return true
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return false
  }
}

/** A reflink where the file system has them: it takes no time and no space. */
async function copyDurably(from: string, to: string): Promise<void> {
  try {
    await fs.promises.copyFile(from, to, fs.constants.COPYFILE_FICLONE)
    const handle = await fs.promises.open(to, 'r+')
    await handle.sync().finally(() => handle.close())
  } catch (error) {
    // A full disk: the bytes stay where they are.
    await fs.promises.rm(to, { force: true }).catch(() => undefined)
    throw error
  }
}
