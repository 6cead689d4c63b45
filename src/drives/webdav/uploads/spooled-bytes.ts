import { createHash, type Hash } from 'node:crypto'
import { lstat, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  type AppendOptions,
  type Drive,
  DriveError,
  type PartDraft,
  type ReplaceOptions,
} from '../../drive.ts'
import { openLocalDrive } from '../../local/local-drive.ts'
import type { FileRecords } from '../../local/objects/file-records.ts'
import { dataName } from '../../local/uploads/local-uploads.ts'
import { statusError } from '../client/dav-error.ts'
import type { DavServer } from '../client/dav-server.ts'
import { requireArrived } from '../objects/written-file.ts'
import { checkParts } from './check-parts.ts'
import type { Spool } from './spool.ts'
import { type GatherOptions, lostBytes, type UploadBytes, uploadPath } from './upload-bytes.ts'

/** Where on the local drive uploads are that are whole. */
const bucket = 'spool'

export interface SpooledBytesOptions {
  readonly spool: Spool
  readonly server: DavServer
  readonly log: { warn(fields: object, message: string): void }
}

/** A spooled file is sent and removed: nothing needs to be known of it. */
const noRecords: FileRecords = {
  find: async () => undefined,
  findMany: async () => new Map(),
  findByPlaces: async () => new Map(),
  save: async () => undefined,
  forget: () => undefined,
  isOwnFolder: async () => false,
  forgetFolder: () => undefined,
}

/**
 * Uploads that are collected on this machine and sent in one piece when they are whole, for servers
 * that can't append. All parts of one upload must come to the same machine.
 */
export class SpooledBytes implements UploadBytes {
  readonly kind = 'spool'
  readonly #options: SpooledBytesOptions
  readonly #local: Drive

  private constructor(options: SpooledBytesOptions, local: Drive) {
    this.#options = options
    this.#local = local
  }

  static async open(options: SpooledBytesOptions): Promise<SpooledBytes> {
    const { spool, log } = options
    const local = await openLocalDrive({ root: spool.folder, records: noRecords, log })
    await local.prepare([bucket])
    return new SpooledBytes(options, local)
  }

  begin(uploadId: string): Promise<string> {
    return this.#local.uploads.begin(uploadId, { bucket, key: uploadId })
  }

  async append(uploadId: string, state: string, options: AppendOptions): Promise<PartDraft> {
    await this.#takeBack(uploadId)
    return this.#limited(await this.#local.uploads.append(state, options), options)
  }

  async replaceLast(uploadId: string, state: string, options: ReplaceOptions): Promise<PartDraft> {
    await this.#takeBack(uploadId)
    const part = await this.#local.uploads.replaceLast?.(state, options)
    if (part === undefined) throw lostBytes()
    return this.#limited(part, options)
  }

  async gather(uploadId: string, state: string, { size, parts }: GatherOptions): Promise<void> {
    const { server } = this.#options
    const path = uploadPath(uploadId)
    const attributes = { etag: '', headers: {}, metadata: {} }
    const target = { bucket, key: uploadId }
    const facts = await this.#local.uploads.complete(state, { target, size, attributes })
    const object = await this.#local.open(bucket, uploadId)
    if (facts === undefined || object === undefined) throw lostBytes()
    try {
      const hash = server.arrivals.areTold ? createHash('md5') : undefined
      const chunks = object.read(0, size)
      const checked = parts === undefined ? chunks : checkParts(chunks, await parts())
      const body = Readable.from(hashed(checked, hash), { objectMode: false })
      const headers = { 'content-length': String(size) }
      const answer = await server.put(path, {
        body,
        headers,
        md5: () => hash?.copy().digest('hex'),
      })
      if (answer.status >= 300) throw statusError('PUT', answer)
      // A server that keeps less, or a proxy that cuts, must not make an object of it.
      await requireArrived(server, path, { size, md5: hash?.digest('hex') })
    } finally {
      await object.close()
    }
  }

  async remove(uploadId: string, state: string): Promise<void> {
    await this.#local.remove(bucket, uploadId)
    await this.#local.uploads.abort(state)
  }

  async sweep(isKnown: (uploadId: string) => Promise<boolean>, olderThanMs: number): Promise<void> {
    await this.#local.uploads.sweep(isKnown, olderThanMs)
    const cursor = this.#local.list(bucket, { prefix: '', after: '' })
    for (
      let entries = await cursor.next(100);
      entries.length > 0;
      entries = await cursor.next(100)
    ) {
      for (const entry of entries) {
        if (entry.kind !== 'object' || entry.modifiedAtMs > Date.now() - olderThanMs) continue
        if (!(await isKnown(entry.key))) await this.#local.remove(bucket, entry.key)
      }
    }
  }

  async close(): Promise<void> {
    await this.#local.close()
  }

  /** Keeps a part within what the spool may take. */
  #limited(part: PartDraft, { offset, size }: AppendOptions): PartDraft {
    const { spool } = this.#options
    const claim = spool.claim({ isNameless: false })
    return {
      write: async (chunk) => {
        const bytes = Math.max(size ?? 0, claim.taken + chunk.length)
        if (offset + bytes > spool.maxBytes) throw tooLarge(spool.maxBytes)
        await claim.take(chunk.length, size ?? 0)
        await part.write(chunk)
      },
      commit: () => part.commit().finally(() => claim.end()),
      discard: () => part.discard().finally(() => claim.end()),
    }
  }

  /**
   * After a Complete that gathered the bytes and did not publish them the upload is open again: the
   * file goes back to where parts are appended to it, and what was sent of it is removed.
   */
  async #takeBack(uploadId: string): Promise<void> {
    const { server, spool } = this.#options
    const gathered = join(spool.folder, bucket, uploadId)
    if (!(await isThere(gathered))) return
    await server.removeFile(uploadPath(uploadId))
    await rename(gathered, join(spool.folder, '.bucketry', 'uploads', uploadId, dataName))
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined
}

async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  hash: Hash | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash?.update(chunk)
    yield chunk
  }
}

function tooLarge(maxBytes: number): DriveError {
  const message = `The multipart upload exceeds the staging limit of ${maxBytes} bytes.`
  return new DriveError('full', message)
}
