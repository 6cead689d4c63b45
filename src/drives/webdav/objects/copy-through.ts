import { Readable } from 'node:stream'
import { abandon, type DavResponse } from '../client/dav-client.ts'
import { statusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavServer } from '../client/dav-server.ts'
import { lostBytes } from '../uploads/upload-bytes.ts'

/** Copies the first `size` bytes of a file of ours to another, through this process. */
export async function copyThrough(
  server: DavServer,
  { from, to, size }: { readonly from: DavPath; readonly to: DavPath; readonly size: number },
): Promise<void> {
  const response = await open(server, from)
  const body = Readable.from(firstOf(response.body, size), { objectMode: false })
  const headers = { 'content-length': String(size) }
  // If nothing is sent, the opened object is not read.
  const answer = await server.put(to, { body, headers }).finally(() => abandon(response.body))
  if (answer.status >= 300) throw statusError('PUT', answer)
  if ((await server.stat(to))?.size !== size) throw lostBytes()
}

/** The first `size` bytes of a file of ours, in memory. */
export async function readFirst(server: DavServer, path: DavPath, size: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  const { body } = await open(server, path)
  for await (const chunk of firstOf(body, size)) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  if (bytes.length < size) throw lostBytes()
  return bytes
}

async function open(server: DavServer, path: DavPath): Promise<DavResponse> {
  const response = await server.get(path, {})
  if (response.status === 200) return response
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
