import { DriveError } from '../../drive-error.ts'
import { abandon } from '../client/dav-client.ts'
import { StatusError, unreachable } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavServer } from '../client/dav-server.ts'

/** Attempts if the body breaks off: rclone closes the connection when a file changes meanwhile. */
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
