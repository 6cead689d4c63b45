import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { closeFile, openFile } from '../file-calls.ts'
import { fsyncFile, readFlags } from '../objects/paced-files.ts'

const run = promisify(execFile)

/**
 * Resolves when everything that was written to the file system of this folder before the call is on the disk: syncfs(2),
 * for which Node has no call, through the program `sync` (sync(1)). One such call costs less than the sync of each file.
 *
 * @throws Error if the program is missing, or the system reports that the disk failed (since Linux 5.8)
 */
export async function syncFileSystem(folder: string): Promise<void> {
  await run('sync', ['-f', folder])
}

/**
 * Whether `syncFileSystem` learns that the disk failed. The program of BusyBox does not, because it ignores what syncfs(2)
 * returns. Unlike those of GNU and uutils, it has no --version.
 */
export async function doesSyncReport(): Promise<boolean> {
  return await run('sync', ['--version']).then(
    () => true,
    () => false,
  )
}

/** As fsync(2), for a file that was written with relaxed writes. */
export async function syncFile(path: string): Promise<void> {
  const fd = await openFile(path, readFlags)
  await fsyncFile(fd).finally(() => closeFile(fd))
}
