import { setTimeout as sleep } from 'node:timers/promises'
import type { PartDraft } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { lostBytes } from '../../kit/uploads/upload-rules.ts'
import type { AppendOptions } from '../../upload-abilities.ts'
import { BodyPipe } from '../client/body-pipe.ts'
import type { DavAnswer } from '../client/dav-client.ts'
import { StatusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavServer } from '../client/dav-server.ts'
import type { DavEntry } from '../client/multistatus.ts'
import type { DavContext } from '../dav-context.ts'
import { readFirst, restoreFile, rewriteFile } from '../objects/own-files.ts'
import {
  type AppendedState,
  type GatherOptions,
  type UploadBytes,
  uploadPath,
} from './upload-bytes.ts'

/** Checks whether the server is still writing bytes of a request that has ended. */
const checkEveryMs = 200
const maxChecks = 50
/** Committed bytes that may be buffered in memory to make room on a full drive. */
const maxBufferedBytes = 16 * 1024 * 1024
/** How long to retry writing them again. */
const rewriteMs = 30_000

/** Uploads that are appended on the server, by PUT with Content-Range. */
export class AppendedBytes implements UploadBytes<AppendedState> {
  readonly kind = 'append'
  readonly #parts: Pick<DavContext, 'server' | 'own'>

  constructor(parts: Pick<DavContext, 'server' | 'own'>) {
    this.#parts = parts
  }

  async begin(id: string): Promise<AppendedState> {
    const { server, own } = this.#parts
    const empty = { body: Buffer.alloc(0) }
    const answer = await own.restoring(() => server.put(uploadPath(id), empty))
    if (answer.status >= 300) throw new StatusError('PUT', answer)
    return { kind: this.kind, id }
  }

  async append(state: AppendedState, options: AppendOptions): Promise<PartDraft<AppendedState>> {
    await this.#awaitEarlierWrites(state.id, options.offset)
    const writer = new RangeWriter(this.#parts.server, uploadPath(state.id), options)
    return {
      write: (chunk) => writer.write(chunk),
      commit: async () => {
        await writer.finish()
        return state
      },
      discard: async () => {
        await writer.abort()
        if (writer.hasFilledDrive) await this.#freeSpace(state.id, options.offset)
      },
    }
  }

  async gather({ id }: AppendedState, { size }: GatherOptions): Promise<void> {
    const { server } = this.#parts
    const entry = await this.#stat(id)
    if (entry === undefined || entry.size < size) throw lostBytes()
    if (entry.size === size) return
    // Uncommitted bytes follow the committed ones.
    await rewriteFile(server, uploadPath(id), size)
  }

  /**
   * Frees the space of a part that did not fit: WebDAV cannot truncate files, so the committed bytes are
   * written to a new file or, if there is no space for it, over the old one. Never rejects, because the
   * failure of the part is already reported.
   */
  async #freeSpace(uploadId: string, offset: number): Promise<void> {
    try {
      await rewriteFile(this.#parts.server, uploadPath(uploadId), offset)
    } catch (error) {
      const isFull = error instanceof DriveError && error.kind === 'full'
      if (!isFull || offset > maxBufferedBytes) return
      await this.#rewrite(uploadId, offset).catch(() => undefined)
    }
  }

  /** For a moment, the bytes are only in memory: a crash then loses the upload. */
  async #rewrite(uploadId: string, size: number): Promise<void> {
    const { server } = this.#parts
    const path = uploadPath(uploadId)
    const body = await readFirst(server, path, size)
    const giveUpAt = performance.now() + rewriteMs
    // If the removal is in doubt, the file is overwritten.
    await server.removeFile(path).catch(() => false)
    for (;;) {
      const answer = await server.put(path, { body }).catch(() => undefined)
      if (answer !== undefined && answer.status < 300) return
      // Other clients may have used the space, and may free it again.
      if (performance.now() > giveUpAt) return
      await sleep(checkEveryMs)
    }
  }

  async #stat(uploadId: string): Promise<DavEntry | undefined> {
    const { server } = this.#parts
    const path = uploadPath(uploadId)
    return (await server.stat(path)) ?? (await restoreFile(server, path))
  }

  /** Waits until the server has ended the writes of an aborted part. */
  async #awaitEarlierWrites(uploadId: string, offset: number): Promise<void> {
    let before: number | undefined
    for (let check = 0; check < maxChecks; check++) {
      const size = (await this.#stat(uploadId))?.size ?? -1
      if (size === offset || (size > offset && size === before)) return
      // Seen twice: a cache of the server's disk may be behind its last write.
      if (size < offset && size === before) throw lostBytes()
      before = size
      await sleep(checkEveryMs)
    }
    throw new DriveError('busy', 'An earlier attempt at this part is still being written.')
  }
}

/** The size of a request when the size of the part is unknown. */
const blockBytes = 1024 * 1024

/** Writes a part into a file, on a server that supports PUT with Content-Range. */
class RangeWriter {
  readonly #server: DavServer
  readonly #path: DavPath
  readonly #options: AppendOptions
  #pipe: BodyPipe | undefined
  #block: Buffer[] = []
  #blockBytes = 0
  /** Bytes written so far, and the bytes of them that were sent as blocks. */
  #size = 0
  #sent = 0
  #hasFilledDrive = false

  constructor(server: DavServer, path: DavPath, options: AppendOptions) {
    this.#server = server
    this.#path = path
    this.#options = options
  }

  /** Whether it failed because the drive is full. */
  get hasFilledDrive(): boolean {
    return this.#hasFilledDrive
  }

  async write(chunk: Uint8Array): Promise<void> {
    const { signal, size } = this.#options
    signal?.throwIfAborted()
    this.#size += chunk.length
    if (size !== undefined && size > blockBytes) {
      if (this.#size > size) throw undeclared()
      const early = await this.#open(size).write(chunk)
      if (early !== undefined) this.#requireSuccess(early)
      return
    }
    this.#block.push(Buffer.from(chunk))
    this.#blockBytes += chunk.length
    if (this.#blockBytes >= blockBytes) await this.#sendBlock()
  }

  async finish(): Promise<void> {
    this.#options.signal?.throwIfAborted()
    if (this.#pipe === undefined) return await this.#sendBlock()
    if (this.#size !== this.#options.size) throw undeclared()
    this.#requireSuccess(await this.#pipe.end())
  }

  /** Never rejects. Bytes that reached the server follow the committed ones. */
  async abort(): Promise<void> {
    this.#block = []
    await this.#pipe?.abort()
  }

  #requireSuccess(answer: DavAnswer): void {
    if (answer.status < 300) return
    const error = new StatusError('PUT', answer)
    this.#hasFilledDrive = error.kind === 'full'
    throw error
  }

  #open(size: number): BodyPipe {
    this.#pipe ??= new BodyPipe((body) => {
      const headers = { ...this.#rangeOf(0, size), 'content-length': String(size) }
      return this.#server.put(this.#path, { body, headers, signal: this.#options.signal })
    })
    return this.#pipe
  }

  async #sendBlock(): Promise<void> {
    const body = Buffer.concat(this.#block)
    this.#block = []
    this.#blockBytes = 0
    if (body.length === 0) return
    const headers = this.#rangeOf(this.#sent, body.length)
    const { signal } = this.#options
    this.#requireSuccess(await this.#server.put(this.#path, { body, headers, signal }))
    this.#sent += body.length
  }

  #rangeOf(start: number, length: number): { 'content-range': string } {
    const first = this.#options.offset + start
    return { 'content-range': `bytes ${first}-${first + length - 1}/*` }
  }
}

function undeclared(): DriveError {
  return new DriveError('changed', 'The number of bytes differs from the declared length.')
}
