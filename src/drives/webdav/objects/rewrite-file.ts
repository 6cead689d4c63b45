import type { DavPath } from '../client/dav-path.ts'
import type { DavServer } from '../client/dav-server.ts'
import type { DavEntry } from '../client/multistatus.ts'
import { copyThrough } from './written-file.ts'

const asideSuffix = '.aside'
const copySuffix = '.copy'

/** The path to which a file is moved while a copy replaces it. */
export function asidePath(path: DavPath): DavPath {
  return withSuffix(path, asideSuffix)
}

/** The name of the file for which `rewriteFile` created this one; otherwise the name itself. */
export function nameOfRewritten(name: string): string {
  const suffix = [asideSuffix, copySuffix].find((one) => name.endsWith(one))
  return suffix === undefined ? name : name.slice(0, -suffix.length)
}

/**
 * Replaces one of our files with a new file of its first `size` bytes: WebDAV can neither truncate a
 * file nor set its time. No file is moved over another: servers first remove the overwritten file,
 * and may then fail.
 */
export async function rewriteFile(server: DavServer, path: DavPath, size: number): Promise<void> {
  const [aside, copy] = [asidePath(path), withSuffix(path, copySuffix)]
  try {
    await copyThrough(server, { from: path, to: copy, size })
    // Left by an earlier attempt, and not needed: the file itself exists.
    await server.removeFile(aside)
    await server.moveToFree(path, aside)
    await server.moveToFree(copy, path)
  } catch (error) {
    // The next sweep removes it otherwise.
    await server.removeFile(copy).catch(() => undefined)
    throw error
  }
  await server.removeFile(aside)
}

/** Moves back a file that an interrupted `rewriteFile` moved aside; undefined when there is none. */
export async function restoreFile(server: DavServer, path: DavPath): Promise<DavEntry | undefined> {
  if ((await server.stat(asidePath(path))) === undefined) return undefined
  await server.moveToFree(asidePath(path), path)
  return await server.stat(path)
}

function withSuffix(path: DavPath, suffix: string): DavPath {
  return [...path.slice(0, -1), `${path.at(-1)}${suffix}`]
}
