import { setTimeout as sleep } from 'node:timers/promises'
import type { PartDraft } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { lostBytes } from '../../kit/uploads/upload-rules.ts'
import type { AppendOptions } from '../../upload-abilities.ts'
import { StatusError } from '../client/dav-error.ts'
import type { DavEntry } from '../client/multistatus.ts'
import type { DavContext } from '../dav-context.ts'
import { readFirst, restoreFile, rewriteFile } from '../objects/written-file.ts'
import { RangeWriter } from './range-writer.ts'
import { type GatherOptions, type UploadBytes, uploadPath } from './upload-bytes.ts'
import type { AppendedState } from './upload-state.ts'

/** A server may still write bytes of a request that has ended: checks for that. */
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
        if (writer.hasFilledDrive) await this.#makeRoom(state.id, options.offset)
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
   * A part that did not fit has filled the drive, and WebDAV cannot truncate files: the committed bytes
   * are written to a new file beside it or, if there is no space for that, over it. The bytes of other
   * failed parts stay until the upload is completed or aborted. Never rejects: the failure of the part
   * is already reported.
   */
  async #makeRoom(uploadId: string, offset: number): Promise<void> {
    try {
      await rewriteFile(this.#parts.server, uploadPath(uploadId), offset)
    } catch (error) {
      const isFull = error instanceof DriveError && error.kind === 'full'
      if (!isFull || offset > maxBufferedBytes) return
      // The next part checks whether the bytes before it exist.
      await this.#rewrite(uploadId, offset).catch(() => undefined)
    }
  }

  /** While the file is removed, its bytes are only in memory: a crash then loses the upload. */
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
