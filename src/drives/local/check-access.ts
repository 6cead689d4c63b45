import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { createTempFile, type LocalRoot, requireOwnFolder } from './local-root.ts'
import { fsyncFile, writeFully } from './objects/paced-files.ts'

/** A block: a file system may store fewer bytes in the file's inode, even if it is full. */
const writtenBytes = 4_096

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

/** Writes a file to the disk and removes it. If the process is killed meanwhile, the next start does. */
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
