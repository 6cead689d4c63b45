import { Readable } from 'node:stream'
import { abandon } from './dav-client.ts'
import { statusError } from './dav-error.ts'
import type { DavPath } from './dav-path.ts'
import type { DavServer } from './dav-server.ts'
import { lostBytes } from './upload-bytes.ts'

/** Copies the first `size` bytes of a file of ours to another, through this process. */
export async function copyThrough(
  server: DavServer,
  { from, to, size }: { readonly from: DavPath; readonly to: DavPath; readonly size: number },
): Promise<void> {
  const body = Readable.from(await firstBytes(server, from, size), { objectMode: false })
  const headers = { 'content-length': String(size) }
  const answer = await server.put(to, { body, headers })
  if (answer.status >= 300) throw statusError('PUT', answer)
  if ((await server.stat(to))?.size !== size) throw lostBytes()
}

/** The first `size` bytes of a file of ours, in memory. */
export async function readFirst(server: DavServer, path: DavPath, size: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of await firstBytes(server, path, size)) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  if (bytes.length < size) throw lostBytes()
  return bytes
}

async function firstBytes(server: DavServer, path: DavPath, size: number) {
  const response = await server.get(path, {})
  if (response.status === 200) return firstOf(response.body, size)
  abandon(response.body)
  throw statusError('GET', response)
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
