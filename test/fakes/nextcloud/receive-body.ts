import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { DavError } from './dav-error.ts'
import type { Content } from './file-tree.ts'

const hashNames = ['md5', 'sha1', 'sha256'] as const
export type HashName = (typeof hashNames)[number]

export interface ReceivedBody {
  readonly content: Content
  /** The requested hashes, hex. */
  readonly digests: Readonly<Partial<Record<HashName, string>>>
}

export function isHashName(name: string): name is HashName {
  return (hashNames as readonly string[]).includes(name)
}

/**
 * Stores the body in a file. Rejects, and stores nothing, when the client disconnects before it has sent
 * the declared length. A body of unknown length counts as empty, as php-fpm passes it on behind the
 * usual front ends.
 */
export async function receiveBody(
  request: IncomingMessage,
  file: string,
  wanted: readonly HashName[] = [],
): Promise<ReceivedBody> {
  const isKept = request.headers['content-length'] !== undefined
  const hashes = wanted.map((name) => [name, createHash(name)] as const)
  let size = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (!isKept) return done()
      size += chunk.length
      for (const [, hash] of hashes) hash.update(chunk)
      done(null, chunk)
    },
  })
  try {
    await pipeline(request, measure, createWriteStream(file))
  } catch (error) {
    await rm(file, { force: true })
    const length = request.headers['content-length']
    throw new DavError(400, `Expected filesize of ${length} bytes but read ${size} (${error})`)
  }
  const digests = Object.fromEntries(hashes.map(([name, hash]) => [name, hash.digest('hex')]))
  return { content: { file, size }, digests }
}

/** The headers in which the answer reports the hashes. */
export function hashHeaders(digests: ReceivedBody['digests']): Record<string, string> {
  const hashes = Object.entries(digests)
  return Object.fromEntries(hashes.map(([name, hex]) => [`x-hash-${name}`, hex]))
}

/** The hashes that the X-Hash header requests. */
export function hashesAskedFor(header: string | undefined): readonly HashName[] {
  if (header === 'all') return hashNames
  return header !== undefined && isHashName(header) ? [header] : []
}

/** An XML body of at most one megabyte. */
export async function receiveText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > 1_048_576) throw new DavError(400, 'the body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
