import { randomBytes } from 'node:crypto'
import { DriveError } from '../drive-error.ts'
import { fs } from './file-calls.ts'
import { createTempFile, type LocalRoot, requireOwnFolder } from './local-root.ts'
import { OutputFile } from './objects/output-file.ts'
import { fsyncFile, writeFully } from './objects/paced-files.ts'

/** Written to check the drive: a full file system may still store fewer bytes, in the inode of the file. */
const writtenBytes = 4_096

/** Not a multiple of the time resolution of any file system that is coarser than milliseconds. */
const oddMs = 777

/**
 * The version ID of a file is its modification time in whole milliseconds.
 *
 * @throws DriveError `unsupported` if the file system stores less
 */
export async function requireFineTimes(root: LocalRoot): Promise<void> {
  const output = await OutputFile.temporary(root)
  try {
    const timeMs = Math.floor(Date.now() / 1000) * 1000 + oddMs
    if (Math.floor((await output.shapeAs(timeMs + 0.5)).modifiedAtMs) === timeMs) return
  } finally {
    await output.remove()
  }
  const message =
    'The file system of this bucket stores modification times too coarsely for versions.'
  throw new DriveError('unsupported', `${message} Use one that stores milliseconds.`)
}

/** Reads the drive's root folder, also on a read-only file system. */
export async function checkReads(root: LocalRoot): Promise<void> {
  await requireOwnFolder(root)
  const folder = await fs.promises.opendir(root.path, { bufferSize: 1 })
  try {
    await folder.read()
  } finally {
    await folder.close()
  }
}

/** Writes a file to the disk and removes it. If the process is killed before that, the sweep removes the file. */
export async function checkWrites(root: LocalRoot): Promise<void> {
  await requireOwnFolder(root)
  const { path, fd } = await createTempFile(root)
  try {
    // Random: a file system that compresses would store zeros without a block.
    await writeFully(fd, randomBytes(writtenBytes), 0)
    // Space may be allocated only now.
    await fsyncFile(fd)
  } finally {
    await root.files.close(fd)
    await fs.promises.unlink(path)
  }
}
