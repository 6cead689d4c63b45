import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { ReadPriority } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import type { LeaseLook } from '../../kit/key-lease-table.ts'
import { CloudObject } from '../../kit/open-objects.ts'
import { md5OfEtag } from '../client/arrivals.ts'
import { abandon, type DavResponse, drain } from '../client/dav-client.ts'
import { StatusError, unreachable } from '../client/dav-error.ts'
import type { DavServer } from '../client/dav-server.ts'
import { type DavEntry, opaqueTag } from '../client/multistatus.ts'
import type { AttributeStore } from './attribute-store.ts'
import type { ObjectFinder, SeenObject } from './object-finder.ts'
import type { DavObjectPath } from './object-path.ts'

/** Objects up to this size are read whole when they are opened. */
export const smallObjectBytes = 64 * 1024
/** Attempts to resume a read without receiving a byte. */
const resumes = 3

export interface ReaderParts {
  readonly server: Pick<DavServer, 'get' | 'stat'>
  readonly finder: Pick<ObjectFinder, 'watch' | 'isQuietSince'>
  readonly store: Pick<AttributeStore, 'find' | 'versionOf'>
}

/** One version of an object. A read ends with `changed` when the server has another version. */
export class DavReader extends CloudObject {
  readonly #parts: ReaderParts
  readonly #object: DavObjectPath
  readonly #found: SeenObject

  constructor(
    parts: ReaderParts,
    {
      object,
      found,
      priority,
    }: { object: DavObjectPath; found: SeenObject; priority: ReadPriority | undefined },
  ) {
    super(found.metadata, priority)
    this.#parts = parts
    this.#object = object
    this.#found = found
  }

  async *read(start: number, end: number): AsyncGenerator<Uint8Array> {
    const progress = { position: start, failures: 0 }
    while (progress.position < end) {
      const before = progress.position
      try {
        yield* this.#readFrom(progress, end)
      } catch (error) {
        if (this.isOver()) return
        // Only lost connections are worth a retry here.
        if (error instanceof DriveError) throw error
        progress.failures = progress.position > before ? 0 : progress.failures + 1
        if (progress.failures > resumes) throw unreachable(error)
      }
    }
  }

  /** The content of a small object, checked against the ETag if that is an MD5. */
  async readWhole(): Promise<Uint8Array> {
    const content = Buffer.concat(await all(this.read(0, this.size)))
    const md5 = md5OfEtag(this.attributes.etag)
    if (md5 !== undefined && hash('md5', content) !== md5) throw changed()
    return content
  }

  async *#readFrom(progress: { position: number }, end: number): AsyncGenerator<Uint8Array> {
    for await (const chunk of await this.#begin(progress.position, end)) {
      if (this.isOver()) return
      this.reader?.gave()
      yield chunk
      this.reader?.took(chunk.length)
      progress.position += chunk.length
    }
    if (progress.position < end && !this.isOver()) throw changed()
  }

  /** The bytes from `start` to `end` of the opened version. */
  async #begin(
    start: number,
    end: number,
  ): Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>> {
    const { server, finder } = this.#parts
    const before = await finder.watch(this.#object)
    const isWhole = start === 0 && end === this.size
    // The range to the end of the file is open, because sabre/dav reads `0-0` as the whole file.
    const to = end === this.size ? '' : String(end - 1)
    const headers = isWhole ? undefined : { range: `bytes=${start}-${to}` }
    const isShort = this.size <= smallObjectBytes
    const options = { signal: this.signal, reader: this.reader, isShort }
    const response = await server.get(this.#found.path, headers ?? {}, options)
    try {
      if (mayBeGone.has(response.status)) {
        await drain(response.body)
        if (!(await this.#isStillThere())) throw changed()
      }
      const skip = skippedBytes(response, { start, size: this.size })
      const body = cut(response.body, skip, end - start)
      // Small bodies share connections with the requests below, so theirs is released first.
      const bytes = isShort ? await all(body) : body
      const isSame = (await this.#isSameVersion(response)) && (await this.#wasKept(before))
      if (!isSame || !(await this.#wasQuiet(before))) throw changed()
      return bytes
    } catch (error) {
      abandon(response.body)
      throw error
    }
  }

  /** Whether the response is of the opened version. */
  async #isSameVersion(response: DavResponse): Promise<boolean> {
    const { etag } = this.#found.entry
    const tag = opaqueTag(response.header('etag'))
    if (etag !== undefined && tag !== undefined) return tag === etag
    // lighttpd sends no entity tag for files of unknown type.
    return await this.#isStillThere()
  }

  /**
   * Whether the reported version still identifies the opened bytes: a file written in the same second
   * may have the same version, but has another record.
   */
  async #wasKept(before: LeaseLook): Promise<boolean> {
    if (before.revisions[0] === this.#found.revision) return true
    return await this.#isOfRecord(this.#found.entry)
  }

  async #isOfRecord(entry: DavEntry): Promise<boolean> {
    const record = await this.#parts.store.find(this.#object.leaseKey, entry)
    return record === undefined || record.attributes.etag === this.attributes.etag
  }

  /** A server may read a file's metadata first and open it later: a write in between is missed. */
  async #wasQuiet(before: LeaseLook) {
    if (await this.#parts.finder.isQuietSince(this.#object, before)) return true
    return await this.#isStillThere()
  }

  async #isStillThere(): Promise<boolean> {
    const { server, store } = this.#parts
    const entry = await server.stat(this.#found.path)
    if (entry === undefined || entry.isFolder) return false
    if (store.versionOf(entry) !== store.versionOf(this.#found.entry)) return false
    return await this.#isOfRecord(entry)
  }
}

/**
 * Statuses for a file that no longer exists. Apache answers 403 when the file disappears during the
 * request. For a folder at the path, rclone answers 405; Apache and lighttpd redirect.
 */
const mayBeGone: ReadonlySet<number> = new Set([301, 302, 307, 308, 403, 405])

/** The number of bytes in the body before the requested ones. */
function skippedBytes(
  response: DavResponse,
  { start, size }: { start: number; size: number },
): number {
  const { status } = response
  if (status === 200) {
    const length = response.header('content-length')
    if (length !== undefined && Number(length) !== size) throw changed()
    return start
  }
  if (status === 206) {
    const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.header('content-range') ?? '')
    const total = range?.[2] === '*' ? size : Number(range?.[2])
    if (range === null || total !== size || Number(range[1]) > start) throw changed()
    return start - Number(range[1])
  }
  if (status === 404 || status === 410 || status === 412 || status === 416) throw changed()
  throw new StatusError('GET', response)
}

/** Up to `length` bytes after the first `skip` bytes. */
async function* cut(body: Readable, skip: number, length: number): AsyncGenerator<Uint8Array> {
  let [ahead, left] = [skip, length]
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    const from = Math.min(ahead, chunk.length)
    ahead -= from
    const part = chunk.subarray(from, from + left)
    left -= part.length
    if (part.length > 0) yield part
    // Leaving the loop closes the connection, and the rest is not read.
    if (left === 0 && from + part.length < chunk.length) break
  }
}

async function all(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return chunks
}

function changed(): DriveError {
  const message = 'The file was changed while it was being read.'
  return new DriveError('changed', message)
}
