import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { PartDraft } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { StagedBytes, type StagedUploads } from '../../kit/uploads/staged-uploads.ts'
import type { AppendOptions, PartDigest } from '../../upload-abilities.ts'
import { StatusError } from '../client/dav-error.ts'
import type { DavContext } from '../dav-context.ts'
import { requireArrived } from '../objects/own-files.ts'
import {
  type GatherOptions,
  type SpooledState,
  type UploadBytes,
  uploadPath,
} from './upload-bytes.ts'

type SpooledContext = Pick<DavContext, 'spool' | 'server' | 'log'>

/**
 * Uploads that are collected on this machine and sent in one request when they are complete, for
 * servers that cannot append. All parts of an upload must arrive at the same machine.
 */
export class SpooledBytes implements UploadBytes<SpooledState> {
  readonly kind = 'spool'
  readonly #context: SpooledContext
  readonly #staging: StagedUploads
  readonly #bytes: StagedBytes

  constructor(context: SpooledContext, staging: StagedUploads) {
    this.#context = context
    this.#staging = staging
    this.#bytes = new StagedBytes(staging)
  }

  async begin(id: string): Promise<SpooledState> {
    return { kind: this.kind, id, staged: await this.#bytes.begin(id) }
  }

  async append(state: SpooledState, options: AppendOptions): Promise<PartDraft<SpooledState>> {
    await this.#forgetSent(state.id)
    const part = await this.#bytes.append(state.id, state.staged, options)
    return this.#limited(state, part, options)
  }

  async replaceLast(state: SpooledState, options: AppendOptions): Promise<PartDraft<SpooledState>> {
    await this.#forgetSent(state.id)
    const part = await this.#bytes.replaceLast(state.id, state.staged, options)
    return this.#limited(state, part, options)
  }

  async gather({ id, staged }: SpooledState, { size, parts }: GatherOptions): Promise<void> {
    const { server } = this.#context
    const path = uploadPath(id)
    const object = await this.#bytes.open(id, staged, size)
    try {
      const hash = server.arrivals.areReported ? createHash('md5') : undefined
      const chunks = object.read(0, size)
      const checked = parts === undefined ? chunks : checkParts(chunks, await parts())
      const body = Readable.from(hashed(checked, hash), { objectMode: false })
      const headers = { 'content-length': String(size) }
      const answer = await server.put(path, {
        body,
        headers,
        md5: () => hash?.copy().digest('hex'),
      })
      if (answer.status >= 300) throw new StatusError('PUT', answer)
      // If the server or a proxy truncated the file, it must not become an object.
      await requireArrived(server, path, { size, md5: hash?.digest('hex') })
    } finally {
      await object.close()
    }
  }

  remove({ id, staged }: SpooledState): Promise<void> {
    return this.#bytes.remove(id, staged)
  }

  sweep(isKnown: (uploadId: string) => Promise<boolean>, olderThanMs: number): Promise<void> {
    return this.#bytes.sweep(isKnown, olderThanMs)
  }

  close(): Promise<void> {
    return this.#staging.drive.close()
  }

  #limited(
    state: SpooledState,
    part: PartDraft,
    { offset, size }: AppendOptions,
  ): PartDraft<SpooledState> {
    const { spool } = this.#context
    const claim = spool.claim({ isNameless: false })
    return {
      write: async (chunk) => {
        const bytes = Math.max(size ?? 0, claim.taken + chunk.length)
        if (offset + bytes > spool.maxBytes) throw tooLarge(spool.maxBytes)
        await claim.take(chunk.length, size ?? 0)
        await part.write(chunk)
      },
      commit: async () => {
        const staged = await part.commit().finally(() => claim.end())
        return { ...state, staged }
      },
      discard: () => part.discard().finally(() => claim.end()),
    }
  }

  /** Removes the file that a failed Complete sent, because the upload takes another part. */
  async #forgetSent(uploadId: string): Promise<void> {
    if (await this.#bytes.areThere(uploadId)) {
      await this.#context.server.removeFile(uploadPath(uploadId))
    }
  }
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

/**
 * Compares each part with what was received for it. The last bytes of a part are passed on only if the
 * part is correct, so that a server never gets all bytes of a damaged upload.
 *
 * @throws DriveError `unavailable` when a part has other bytes now, or when bytes are missing.
 */
async function* checkParts(
  chunks: AsyncIterable<Uint8Array>,
  parts: readonly PartDigest[],
): AsyncGenerator<Uint8Array, void, undefined> {
  let number = 0
  let left = 0
  let hash = createHash('md5')
  for await (const chunk of chunks) {
    for (let rest = chunk; rest.length > 0; ) {
      while (left === 0) {
        number += 1
        left = parts[number - 1]?.size ?? rest.length
        hash = createHash('md5')
      }
      const bytes = rest.subarray(0, left)
      hash.update(bytes)
      left -= bytes.length
      rest = rest.subarray(bytes.length)
      const expected = parts[number - 1]?.md5
      if (left === 0 && hash.digest('hex') !== expected) throw differentPart(number)
    }
    yield chunk
  }
  if (left > 0) throw differentPart(number)
}

function differentPart(number: number): DriveError {
  const message =
    `The local copy of part ${number} of this upload differs from the bytes received. ` +
    'Check the disk that holds the staging folder, then upload the object again.'
  return new DriveError('unavailable', message)
}
