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
  const response = await server.get(from, {})
  if (response.status !== 200) {
    abandon(response.body)
    throw statusError('GET', response)
  }
  const body = Readable.from(firstOf(response.body, size), { objectMode: false })
  const headers = { 'content-length': String(size) }
  const answer = await server.put(to, { body, headers })
  if (answer.status >= 300) throw statusError('PUT', answer)
  if ((await server.stat(to))?.size !== size) throw lostBytes()
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
