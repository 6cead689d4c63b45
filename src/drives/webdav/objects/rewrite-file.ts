import { statusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavServer } from '../client/dav-server.ts'
import type { DavEntry } from '../client/multistatus.ts'
import { copyThrough } from './written-file.ts'

const asideSuffix = '.aside'
const copySuffix = '.copy'

/** Where a file is while a copy takes its place. */
export function asidePath(path: DavPath): DavPath {
  return withSuffix(path, asideSuffix)
}

/** The name of the file that this one stands in for; the name itself when it does for none. */
export function nameOfRewritten(name: string): string {
  const suffix = [asideSuffix, copySuffix].find((one) => name.endsWith(one))
  return suffix === undefined ? name : name.slice(0, -suffix.length)
}

/**
 * Creates a new file from the first `size` bytes of one of ours, in its place: WebDAV can neither
 * truncate a file nor set its time. No file is moved over another: servers first remove the one
 * that is overwritten, and may then fail.
 */
export async function rewriteFile(server: DavServer, path: DavPath, size: number): Promise<void> {
  const [aside, copy] = [asidePath(path), withSuffix(path, copySuffix)]
  try {
    await copyThrough(server, { from: path, to: copy, size })
    // Of an earlier attempt; the file itself is there, so that nothing needs this one.
    await server.removeFile(aside)
    await move(server, path, aside)
    await move(server, copy, path)
  } catch (error) {
    // What stays goes with the next sweep.
    await server.removeFile(copy).catch(() => undefined)
    throw error
  }
  await server.removeFile(aside)
}

/** The file, put back from where `rewriteFile` left it; undefined when it is not there either. */
export async function restoreFile(server: DavServer, path: DavPath): Promise<DavEntry | undefined> {
  if ((await server.stat(asidePath(path))) === undefined) return undefined
  await move(server, asidePath(path), path)
  return await server.stat(path)
}

async function move(server: DavServer, from: DavPath, to: DavPath): Promise<void> {
  const answer = await server.transfer('MOVE', { from, to }, { overwrite: false })
  if (answer.status !== 201 && answer.status !== 204) throw statusError('MOVE', answer)
}

function withSuffix(path: DavPath, suffix: string): DavPath {
  return [...path.slice(0, -1), `${path.at(-1)}${suffix}`]
}
