import { copyThrough } from './copy-through.ts'
import { statusError } from './dav-error.ts'
import type { DavPath } from './dav-path.ts'
import type { DavServer } from './dav-server.ts'
import type { DavEntry } from './multistatus.ts'
import { type OwnFolder, uploadsFolder } from './own-folder.ts'
import { uploadPath } from './upload-bytes.ts'

const longSuffix = '.long'

/** Where the file of an upload is while a shorter one takes its place. */
export function longPath(uploadId: string): DavPath {
  return [...uploadsFolder, uploadId + longSuffix]
}

/** The upload that a file in the folder of uploads belongs to. */
export function uploadIdOf(name: string): string {
  return name.endsWith(longSuffix) ? name.slice(0, -longSuffix.length) : name
}

/**
 * Makes the first `size` bytes all there is in the upload's file, which WebDAV has no means to cut.
 * Nothing is moved over anything: servers remove what is overwritten first, and may then fail.
 */
export async function cutUpload(
  { server, own }: { readonly server: DavServer; readonly own: OwnFolder },
  uploadId: string,
  size: number,
): Promise<void> {
  const [path, long, shorter] = [uploadPath(uploadId), longPath(uploadId), own.newPath()]
  try {
    await copyThrough(server, { from: path, to: shorter, size })
    // Of an earlier attempt; the file itself is there, so that nothing needs this one.
    await server.removeFile(long)
    await move(server, path, long)
    await move(server, shorter, path)
  } catch (error) {
    await own.discard(shorter)
    throw error
  }
  await server.removeFile(long)
}

/** The upload's file, put back from where `cutUpload` left it; undefined when it is not there. */
export async function restoreUpload(
  server: DavServer,
  uploadId: string,
): Promise<DavEntry | undefined> {
  if ((await server.stat(longPath(uploadId))) === undefined) return undefined
  await move(server, longPath(uploadId), uploadPath(uploadId))
  return await server.stat(uploadPath(uploadId))
}

async function move(server: DavServer, from: DavPath, to: DavPath): Promise<void> {
  const answer = await server.transfer('MOVE', { from, to }, { overwrite: false })
  if (answer.status !== 201 && answer.status !== 204) throw statusError('MOVE', answer)
}
