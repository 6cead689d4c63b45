import { Readable } from 'node:stream'
import { DriveError } from '../../drive-error.ts'
import { abandon, type DavResponse } from '../client/dav-client.ts'
import { StatusError, unreachable } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavServer } from '../client/dav-server.ts'
import type { DavEntry } from '../client/multistatus.ts'

/** Attempts if the body breaks off, as when a file changes while rclone sends it. */
const attempts = 3

/**
 * Reads one of our files into memory; undefined when it does not exist.
 *
 * @throws DriveError `denied` when it is larger than `maxBytes`, `unavailable` when it breaks off
 */
export async function readSmallFile(
  server: DavServer,
  path: DavPath,
  maxBytes: number,
): Promise<Buffer | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readOnce(server, path, maxBytes)
    } catch (error) {
      if (error instanceof DriveError) throw error
      if (attempt === attempts) throw unreachable(error)
    }
  }
}

async function readOnce(
  server: DavServer,
  path: DavPath,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const response = await server.get(path, {}, { isShort: true })
  if (response.status !== 200) {
    abandon(response.body)
    if (response.status === 404 || response.status === 410) return undefined
    throw new StatusError('GET', response)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > maxBytes) {
      throw new DriveError('denied', `The file ${path.join('/')} on the drive is too large.`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const asideSuffix = '.aside'
const copySuffix = '.copy'

export interface CopyThrough {
  readonly from: DavPath
  readonly to: DavPath
  readonly size: number
  readonly md5?: string | undefined
  /** Called after the source was opened; throws if the copy must not be written. */
  readonly beforeWrite?: () => void
}

/** Copies the first `size` bytes of a file through this process. A damaged copy is removed. */
export async function copyThrough(
  server: DavServer,
  { from, to, size, md5, beforeWrite }: CopyThrough,
): Promise<DavEntry> {
  const response = await open(server, from)
  try {
    beforeWrite?.()
    const body = Readable.from(firstOf(response.body, size), { objectMode: false })
    const headers = { 'content-length': String(size) }
    const answer = await server.put(to, { body, headers })
    if (answer.status >= 300) throw new StatusError('PUT', answer)
  } finally {
    abandon(response.body)
  }
  try {
    return await requireArrived(server, to, { size, md5 })
  } catch (error) {
    await server.removeFile(to).catch(() => undefined)
    throw error
  }
}

/**
 * The file that was just written, with the expected size, and the MD5 if the server reports one.
 *
 * @param md5 undefined when it is not known here.
 * @throws DriveError `unavailable` when the server stored something else.
 */
export async function requireArrived(
  server: DavServer,
  path: DavPath,
  { size, md5 }: { readonly size: number; readonly md5: string | undefined },
): Promise<DavEntry> {
  const written = await server.stat(path, { asksForMd5: true })
  const entry = requireEntry(written, 'a file that was just written')
  if (entry.size !== size) {
    const sizes = `${entry.size} instead of ${size} bytes`
    throw new DriveError('unavailable', `The WebDAV server stored ${sizes}. Try again.`)
  }
  server.arrivals.check(entry.md5, md5)
  return entry
}

/** @throws DriveError `unavailable` when a file is gone that was there a moment ago */
export function requireEntry(entry: DavEntry | undefined, what: string): DavEntry {
  if (entry?.isFolder === false) return entry
  throw new DriveError('unavailable', `The WebDAV server lost ${what}.`)
}

/**
 * Reads the first `size` bytes of one of our files into memory.
 * @throws DriveError `changed` when the file is shorter
 */
export async function readFirst(server: DavServer, path: DavPath, size: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  const { body } = await open(server, path)
  for await (const chunk of firstOf(body, size)) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  if (bytes.length < size) throw new DriveError('changed', 'A file of the upload is too short.')
  return bytes
}

async function open(server: DavServer, path: DavPath): Promise<DavResponse> {
  const response = await server.get(path, {})
  if (response.status === 200) return response
  abandon(response.body)
  throw new StatusError('GET', response)
}

async function* firstOf(body: Readable, size: number): AsyncGenerator<Uint8Array> {
  let left = size
  if (left === 0) return abandon(body)
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    const part = chunk.subarray(0, left)
    left -= part.length
    yield part
    if (left === 0) return
  }
}

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
 * Replaces a file with a new one of its first `size` bytes, because WebDAV can neither truncate a file nor
 * set its time (docs/paths/complete-on-webdav.md, "Gathering").
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
