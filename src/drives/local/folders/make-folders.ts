import fs from 'node:fs'
import { codeOf } from '../fs-error.ts'

/**
 * Makes a folder and those above it where they are absent; returns the first one made.
 *
 * Node's recursive mkdir reports ENOENT for every code that it does not know, such as EROFS and EIO
 * (MKDirpSync in node_file.cc). A plain mkdir of the same folder reports the system's own code.
 */
export async function makeFolders(path: string): Promise<string | undefined> {
  try {
    return await fs.promises.mkdir(path, { recursive: true })
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    await fs.promises.mkdir(path)
    return path
  }
}
