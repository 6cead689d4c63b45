import { setTimeout as sleep } from 'node:timers/promises'
import { type AppendOptions, DriveError, type PartDraft } from '../../drive.ts'
import { statusError } from '../client/dav-error.ts'
import type { DavEntry } from '../client/multistatus.ts'
import type { DavContext } from '../dav-context.ts'
import { restoreFile, rewriteFile } from '../objects/rewrite-file.ts'
import { readFirst } from '../objects/written-file.ts'
import { RangeWriter } from './range-writer.ts'
import { type GatherOptions, lostBytes, type UploadBytes, uploadPath } from './upload-bytes.ts'

/** A server may still write what it has received of a request that has ended. */
const settleMs = 200
const maxLooks = 50
/** Committed bytes that are held in memory to make room on a full drive. */
const maxBufferedBytes = 16 * 1024 * 1024
/** How long it is tried to write them again. */
const rewriteMs = 30_000

/** Uploads that grow on the server, by PUT with Content-Range. */
export class AppendedBytes implements UploadBytes {
  readonly kind = 'append'
  readonly #parts: Pick<DavContext, 'server' | 'own'>

  constructor(parts: Pick<DavContext, 'server' | 'own'>) {
    this.#parts = parts
  }

  async begin(uploadId: string): Promise<string> {
    const { server, own } = this.#parts
    const send = () => server.put(uploadPath(uploadId), { body: Buffer.alloc(0) })
    let answer = await send()
    if (await own.restoreAfter(answer)) answer = await send()
    if (answer.status >= 300) throw statusError('PUT', answer)
    return ''
  }

  async append(uploadId: string, state: string, options: AppendOptions): Promise<PartDraft> {
    await this.#settle(uploadId, options.offset)
    const writer = new RangeWriter(this.#parts.server, uploadPath(uploadId), options)
    return {
      write: (chunk) => writer.write(chunk),
      commit: async () => {
        await writer.finish()
        return state
      },
      discard: async () => {
        await writer.abort()
        if (writer.hasFilledDrive) await this.#makeRoom(uploadId, options.offset)
      },
    }
  }

  async gather(uploadId: string, _state: string, { size }: GatherOptions): Promise<void> {
    const { server } = this.#parts
    const entry = await this.#stat(uploadId)
    if (entry === undefined || entry.size < size) throw lostBytes()
    if (entry.size === size) return
    // Behind the committed bytes are others.
    await rewriteFile(server, uploadPath(uploadId), size)
  }

  /**
   * The bytes of a part that did not fit fill the drive, and WebDAV can't truncate files: the
   * committed bytes are written to a new file beside it or, if there is no space for that, over it.
   * Other failed parts keep their bytes until the upload is completed or aborted. Never rejects:
   * the reason for the failure is already reported.
   */
  async #makeRoom(uploadId: string, offset: number): Promise<void> {
    try {
      await rewriteFile(this.#parts.server, uploadPath(uploadId), offset)
    } catch (error) {
      const isFull = error instanceof DriveError && error.kind === 'full'
      if (!isFull || offset > maxBufferedBytes) return
      // The next part finds out whether its bytes are there.
      await this.#rewrite(uploadId, offset).catch(() => undefined)
    }
  }

  /** While the file is gone its bytes are in memory alone: a crash then costs the upload. */
  async #rewrite(uploadId: string, size: number): Promise<void> {
    const { server } = this.#parts
    const path = uploadPath(uploadId)
    const body = await readFirst(server, path, size)
    const giveUpAt = performance.now() + rewriteMs
    // If it is not known whether it is gone, it is written over.
    await server.removeFile(path).catch(() => false)
    for (;;) {
      const answer = await server.put(path, { body }).catch(() => undefined)
      if (answer !== undefined && answer.status < 300) return
      // Others may have used the space; it may be freed again.
      if (performance.now() > giveUpAt) return
      await sleep(settleMs)
    }
  }

  async #stat(uploadId: string): Promise<DavEntry | undefined> {
    const { server } = this.#parts
    const path = uploadPath(uploadId)
    return (await server.stat(path)) ?? (await restoreFile(server, path))
  }

  /** Waits until writes of an aborted part have ended. */
  async #settle(uploadId: string, offset: number): Promise<void> {
    let before: number | undefined
    for (let look = 0; look < maxLooks; look++) {
      const size = (await this.#stat(uploadId))?.size
      if (size === undefined || size < offset) throw lostBytes()
      if (size === offset || size === before) return
      before = size
      await sleep(settleMs)
    }
    throw new DriveError('busy', 'An earlier attempt at this part is still being written.')
  }
}
