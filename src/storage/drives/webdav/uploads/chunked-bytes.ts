import { setTimeout as sleep } from 'node:timers/promises'
import { backOffMs } from '../../../../platform/process/back-off.ts'
import type { PartDraft } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { lostBytes } from '../../kit/uploads/upload-rules.ts'
import type { AppendOptions } from '../../upload-abilities.ts'
import type { DavAnswer } from '../client/dav-client.ts'
import { StatusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavServer } from '../client/dav-server.ts'
import type { DavContext } from '../dav-context.ts'
import { DavFileWriter } from '../objects/dav-file-writer.ts'
import { restoreFile, rewriteFile } from '../objects/own-files.ts'
import {
  type ChunkedState,
  type GatherOptions,
  type UploadBytes,
  uploadPath,
} from './upload-bytes.ts'

/** Nextcloud accepts chunk names from 1 to this number. */
const maxChunks = 10_000
/** How long Nextcloud may assemble a file after a proxy timed out. */
const patienceMs = 1_800_000
/** For a chunk: Nextcloud deleted the chunks after a day, or lost its cache of an object store's parts. */
const goneStatuses: ReadonlySet<number> = new Set([404, 412])
/** Statuses of a MOVE that may be done or in progress: of a proxy, or because an earlier MOVE has the lock. */
const doubtfulStatuses: ReadonlySet<number> = new Set([423, 502, 504])
const folderPrefix = 'bucketry-'

export interface ChunkedBytesParts extends Pick<DavContext, 'server' | 'spool' | 'backOff'> {
  /** The same server, with paths below its origin. */
  readonly origin: DavServer
  /** The folder of the user's uploads, below the origin. */
  readonly chunkRoot: DavPath
}

/**
 * Nextcloud's chunked upload, version 2: a folder with one chunk for each part, assembled by a MOVE of
 * its `.file`.
 */
export class ChunkedBytes implements UploadBytes<ChunkedState> {
  readonly kind = 'chunks'
  readonly #parts: ChunkedBytesParts

  constructor(parts: ChunkedBytesParts) {
    this.#parts = parts
  }

  async begin(id: string): Promise<ChunkedState> {
    const { origin } = this.#parts
    if (!(await origin.makeFolder(this.#folder(id), this.#destination(id)))) {
      throw new DriveError('unavailable', 'Nextcloud does not start a chunked upload.')
    }
    return { kind: this.kind, id, count: 0 }
  }

  async append(state: ChunkedState, options: AppendOptions): Promise<PartDraft<ChunkedState>> {
    const number = state.count + 1
    if (number > maxChunks) throw new DriveError('denied', `More than ${maxChunks} parts.`)
    const path = [...this.#folder(state.id), nameOf(number)]
    const writer = new DavFileWriter({
      server: this.#parts.origin,
      path,
      size: options.size,
      signal: options.signal,
      headers: this.#destination(state.id),
      spool: this.#parts.spool,
    })
    return {
      write: (chunk) => writer.write(chunk),
      commit: async () => {
        if (writer.size === 0) return state
        await this.#finish(writer)
        return { ...state, count: number }
      },
      // A chunk that was not committed is overwritten, or removed before the chunks are assembled.
      discard: () => writer.abort(),
    }
  }

  async gather({ id, count }: ChunkedState, options: GatherOptions): Promise<void> {
    const { server } = this.#parts
    const { size, assertHeld } = options
    const present = await server.stat(uploadPath(id))
    if (present?.size === size) return
    const total = present?.size ?? (await this.#assemble(id, count, assertHeld))
    if (total < size) throw lostBytes()
    if (total > size) await rewriteFile(server, uploadPath(id), size)
  }

  async remove({ id }: Pick<ChunkedState, 'id'>): Promise<void> {
    await this.#parts.origin.removeFolder(this.#folder(id))
  }

  async sweep(isKnown: (uploadId: string) => Promise<boolean>, olderThanMs: number): Promise<void> {
    const folder = await this.#parts.origin.list(this.#parts.chunkRoot)
    for (const { name, modifiedAtMs } of folder?.children ?? []) {
      if (!name.startsWith(folderPrefix)) continue
      const id = name.slice(folderPrefix.length)
      const isOld = modifiedAtMs > 0 && modifiedAtMs <= Date.now() - olderThanMs
      if (isOld && !(await isKnown(id))) await this.remove({ id })
    }
  }

  async #finish(writer: DavFileWriter): Promise<void> {
    try {
      await writer.finish()
    } catch (error) {
      throw error instanceof StatusError && goneStatuses.has(error.status) ? lostBytes() : error
    }
  }

  /** Assembles the first chunks. Returns the size of the file. */
  async #assemble(
    uploadId: string,
    count: number,
    beforeAttempt: (() => void) | undefined,
  ): Promise<number> {
    const { origin, server } = this.#parts
    const total = await this.#keepFirst(uploadId, count)
    if (total === undefined) return await this.#restore(uploadId)
    if (total === 0) {
      await server.store(uploadPath(uploadId), Buffer.alloc(0))
      return 0
    }
    const giveUpAt = performance.now() + patienceMs
    for (let attempt = 1; ; attempt++) {
      const failure = await this.#tryAssemble(uploadId, total, beforeAttempt)
      if (failure === undefined) return total
      // Regardless of the response, Nextcloud may be done, or still working on it.
      if ((await server.stat(uploadPath(uploadId)))?.size === total) return total
      if ((await origin.stat(this.#folder(uploadId))) === undefined) throw lostBytes()
      if (!isDoubtful(failure) || performance.now() > giveUpAt) throw reportedError(failure)
      await sleep(backOffMs(attempt, this.#parts.backOff, Math.random))
    }
  }

  async #tryAssemble(
    uploadId: string,
    total: number,
    beforeAttempt: (() => void) | undefined,
  ): Promise<DriveError | undefined> {
    const from = [...this.#folder(uploadId), '.file']
    let answer: DavAnswer
    try {
      answer = await this.#parts.origin.transfer(
        'MOVE',
        { from, to: this.#target(uploadId) },
        { overwrite: true, headers: { 'oc-total-length': String(total) }, beforeAttempt },
      )
    } catch (error) {
      if (error instanceof DriveError && error.kind === 'unavailable') return error
      throw error
    }
    return answer.status < 300 ? undefined : new StatusError('MOVE', answer)
  }

  /** The size of a file that was assembled before, and whose truncation was interrupted. */
  async #restore(uploadId: string): Promise<number> {
    const entry = await restoreFile(this.#parts.server, uploadPath(uploadId))
    if (entry === undefined) throw lostBytes()
    return entry.size
  }

  /** Removes uncommitted chunks. Returns the size of the others; undefined when the folder is gone. */
  async #keepFirst(uploadId: string, count: number): Promise<number | undefined> {
    const { origin } = this.#parts
    const folder = await origin.list(this.#folder(uploadId))
    if (folder === undefined) return undefined
    const chunks = folder.children.filter(({ name }) => /^\d+$/.test(name))
    const kept = chunks.filter(({ name }) => Number(name) <= count)
    if (kept.length !== count) throw lostBytes()
    for (const { name } of chunks) {
      if (Number(name) > count) await origin.removeFile([...this.#folder(uploadId), name])
    }
    return kept.reduce((sum, { size }) => sum + size, 0)
  }

  #folder(uploadId: string): DavPath {
    return [...this.#parts.chunkRoot, folderPrefix + uploadId]
  }

  /** The assembled file, below the origin. */
  #target(uploadId: string): DavPath {
    return this.#parts.server.fullPath(uploadPath(uploadId))
  }

  #destination(uploadId: string): { destination: string } {
    return { destination: this.#parts.server.urlOf(uploadPath(uploadId)) }
  }
}

function isDoubtful(failure: DriveError): boolean {
  if (failure instanceof StatusError) return doubtfulStatuses.has(failure.status)
  return failure.kind === 'unavailable'
}

/** The error for a MOVE that was not executed. The chunks stay for the next attempt. */
function reportedError(failure: DriveError): DriveError {
  if (!(failure instanceof StatusError) || failure.status !== 400) return failure
  const message =
    'Nextcloud reports that parts do not match the file (400). If it stores files in an object ' +
    'store, its cache may have lost them: complete the upload again, or start a new upload.'
  return new DriveError('unavailable', message, { cause: failure })
}

/** Without leading zeros, an old Nextcloud sorts `10` before `9`. */
function nameOf(number: number): string {
  return String(number).padStart(5, '0')
}
