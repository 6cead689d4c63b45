import { untilAborted } from '../../../platform/process/time-limit.ts'
import { type EarlyPart, EarlyParts, type PartSource } from './early-part.ts'
import { type Lease, LeasedDraft } from './lease.ts'
import { type Admission, PartQueue, type PartStatistics } from './part-queue.ts'
import { placePart } from './placed-part.ts'
import type { UploadContext } from './upload-context.ts'
import {
  decodePart,
  detailsOf,
  encodePart,
  leaseLost,
  noSuchUpload,
  slowDown,
  type UploadedPart,
  type UploadName,
  uploadedPart,
} from './upload-records.ts'
import type { PartRow, UploadRow } from './upload-table.ts'

const nowhere = { write: () => Promise.resolve() }

/**
 * Writes parts to the drive: one at a time for each upload, or several that have arrived as if they were one. Parts
 * that may come in any order do not wait for each other.
 */
export class PartWriter {
  readonly #context: UploadContext
  readonly #queue: PartQueue
  readonly #early = new EarlyParts()

  constructor(context: UploadContext) {
    this.#context = context
    this.#queue = new PartQueue(context)
  }

  statistics(): PartStatistics {
    return this.#queue.statistics()
  }

  /**
   * Waits for the part's turn, receives its bytes and commits it. A part that is already committed gets the same
   * reply again if the bytes are the same.
   *
   * @throws S3Error NoSuchUpload, SlowDown, and whatever the source throws. The upload is then   unchanged.
   */
  async write(name: UploadName, number: number, source: PartSource): Promise<UploadedPart> {
    const part = this.#early.enter(name.uploadId, number, source)
    try {
      const admission = await this.#admit(name, part)
      if (admission === undefined) return await part.outcome
      if ('lease' in admission) return await this.#write(admission, part)
      const { turn, upload } = admission
      return turn === 'place'
        ? await placePart(this.#context, upload, { number, source: part })
        : await this.#compare(upload, number, part)
    } finally {
      this.#early.leave(name.uploadId, part)
    }
  }

  /** Undefined when the part was committed with an earlier one, or failed while it waited. */
  async #admit(name: UploadName, part: EarlyPart): Promise<Admission | undefined> {
    const { number, signal } = part
    const onWait = (upload: UploadRow) => {
      const { partMemory } = this.#context.drive.uploads.abilities(upload.driveState)
      // The drive accepts parts one by one, so none is read in advance.
      if (partMemory === undefined) return
      this.#early.read(part, {
        memory: partMemory,
        algorithm: detailsOf(upload).checksum?.algorithm,
      })
    }
    try {
      const admission = await this.#queue.admit(name, number, { signal, onWait })
      part.begin()
      if (!part.isDecided) return admission
      if ('lease' in admission) await admission.lease.release()
    } catch (error) {
      if (!part.isDecided) throw error
    }
    return undefined
  }

  async #write(
    { lease, turn }: Extract<Admission, { lease: Lease }>,
    part: EarlyPart,
  ): Promise<UploadedPart> {
    try {
      return turn === 'append'
        ? await this.#append(lease, part)
        : await this.#replaceLast(lease, part.number, part)
    } catch (error) {
      const answered = lease.reasonOf(error)
      // Report the first error.
      await lease.release()
      throw answered
    }
  }

  /** Later parts that have arrived are sent with it, to save round trips to a remote drive. */
  async #append(lease: Lease, part: EarlyPart): Promise<UploadedPart> {
    const isInMemory = part.state === 'fromMemory'
    const others = isInMemory ? this.#early.joinable(lease.upload.id, part.number + 1) : []
    const appended = this.#appendAll(lease, [part, ...others])
    for (const other of others) other.join(pick(appended, other))
    return await pick(appended, part)
  }

  async #appendAll(lease: Lease, parts: readonly EarlyPart[]): Promise<readonly UploadedPart[]> {
    const { drive, table } = this.#context
    const { upload, owner } = lease
    const { driveState, size: offset } = upload
    const size = sizeOf(parts)
    const options = { offset, ...hints({ size }, lease) }
    const draft = new LeasedDraft(await drive.uploads.append(driveState, options), lease)
    const uploaded: UploadedPart[] = []
    for (const part of parts) {
      uploaded.push(await this.#pour(draft, part, { lease, number: part.number }))
    }
    const rows = uploaded.map(encodePart)
    await this.#commit(draft, lease, (state) => table.commitParts({ upload, owner }, rows, state))
    return uploaded
  }

  async #replaceLast(lease: Lease, number: number, source: PartSource): Promise<UploadedPart> {
    const { drive, table } = this.#context
    const { upload } = lease
    const last = await this.#committedPart(upload, number)
    const offset = upload.size - last.size
    const options = { offset, ...hints(source, lease) }
    const replacing = await drive.uploads.replaceLast(upload.driveState, options)
    const draft = new LeasedDraft(replacing, lease)
    const part = await this.#pour(draft, source, { lease, number })
    if (isSame(part, last)) {
      await draft.discard()
      await lease.release()
      return decodePart(last)
    }
    const change = { from: last, to: encodePart(part) }
    await this.#commit(draft, lease, (driveState) =>
      table.replacePart({ upload, owner: lease.owner }, { ...change, driveState }),
    )
    return part
  }

  /** A part before the last one: other parts follow its bytes, so they can't be changed. */
  async #compare(upload: UploadRow, number: number, source: PartSource): Promise<UploadedPart> {
    const committed = await this.#committedPart(upload, number)
    const digest = await source.pour(nowhere, detailsOf(upload).checksum?.algorithm)
    if (isSame({ etag: digest.md5Hex, size: digest.size }, committed)) return decodePart(committed)
    throw differentBytes(number)
  }

  async #committedPart(upload: UploadRow, number: number): Promise<PartRow> {
    const [part] = await this.#context.table.parts(upload.id, number - 1, 1)
    // The parts are deleted when the upload is aborted, which may happen between the two reads.
    if (part?.number !== number) throw slowDown('The upload is being completed.')
    return part
  }

  async #pour(
    draft: LeasedDraft,
    source: PartSource,
    target: { readonly lease: Lease; readonly number: number },
  ): Promise<UploadedPart> {
    const { lease, number } = target
    try {
      const algorithm = detailsOf(lease.upload).checksum?.algorithm
      const pouring = source.pour(draft, algorithm)
      const digest = await untilAborted(pouring, lease.lost)
      return uploadedPart(number, digest, this.#context.now())
    } catch (error) {
      await draft.discard()
      throw error
    }
  }

  async #commit(
    draft: LeasedDraft,
    lease: Lease,
    store: (driveState: string) => Promise<UploadRow | undefined>,
  ): Promise<void> {
    const driveState = await draft.commit()
    const committed = await store(driveState)
    if (committed !== undefined) {
      lease.end()
      this.#context.watch.notify(committed.id, committed)
      return
    }
    // The bytes are beyond the committed size and will be overwritten.
    const current = await this.#context.table.find(lease.upload.id)
    throw current?.phase === 'open' ? leaseLost() : noSuchUpload(lease.upload.id)
  }
}

/**
 * When the client disconnects, the source rejects with the error to answer, so the drive's signal
 * is only that of the lease.
 */
function hints({ size }: Pick<PartSource, 'size'>, lease: Lease) {
  return { signal: lease.lost, ...(size === undefined ? {} : { size }) }
}

/** Total bytes, if known. */
function sizeOf(parts: readonly EarlyPart[]): number | undefined {
  const sizes = parts.map(({ size }) => size)
  return sizes.every((size) => size !== undefined) ? sizes.reduce((a, b) => a + b) : undefined
}

async function pick(
  appended: Promise<readonly UploadedPart[]>,
  { number }: EarlyPart,
): Promise<UploadedPart> {
  const uploaded = (await appended).find((one) => one.number === number)
  if (uploaded === undefined) throw new Error('an appended part has no result')
  return uploaded
}

function isSame(part: Pick<PartRow, 'etag' | 'size'>, other: PartRow): boolean {
  return part.etag === other.etag && part.size === other.size
}

function differentBytes(number: number): Error {
  return slowDown(
    `Part ${number} was already stored with different bytes. Only the last part can be replaced, if the drive supports it.`,
  )
}
