import type { ChecksumAlgorithm } from '../../drives/attributes.ts'
import type { Drive, PartDraft } from '../../drives/drive.ts'
import type { PartRow, UploadRow, UploadTable } from '../../state/uploads.ts'
import type { PayloadDigest } from '../payload.ts'
import type { Lease } from './lease.ts'
import { LeasedSink } from './leased-sink.ts'
import type { PartQueue } from './part-queue.ts'
import { leaseLost, noSuchUpload, slowDown } from './upload-errors.ts'
import {
  decodePart,
  detailsOf,
  encodePart,
  type UploadedPart,
  type UploadName,
} from './upload-records.ts'
import type { UploadWatch } from './upload-watch.ts'

/** Where the bytes of a part come from: a request's body, or an object that is copied. */
export interface PartSource {
  /** Bytes that will come, where known. */
  readonly size?: number
  /** Aborts when nobody wants the part any more. */
  readonly signal: AbortSignal
  /**
   * Writes all bytes into the sink and says what they were, with a checksum of this algorithm if
   * one is given. Called once, when it is the part's turn.
   */
  pour(
    sink: { write(chunk: Uint8Array): Promise<void> },
    algorithm: ChecksumAlgorithm | undefined,
  ): Promise<PayloadDigest>
}

export interface PartWriterOptions {
  readonly drive: Drive
  readonly table: UploadTable
  readonly queue: PartQueue
  readonly watch: UploadWatch
  readonly now: () => number
}

const nowhere = { write: () => Promise.resolve() }

/** Brings parts onto the drive, one at a time for each upload. */
export class PartWriter {
  readonly #options: PartWriterOptions

  constructor(options: PartWriterOptions) {
    this.#options = options
  }

  /**
   * Waits for the part's turn, takes its bytes and commits it. A part that is committed already
   * answers as before when the bytes are the same.
   *
   * @throws S3Error NoSuchUpload, SlowDown, and whatever the source throws; the upload is then as
   *   it was.
   */
  async write(name: UploadName, number: number, source: PartSource): Promise<UploadedPart> {
    const admission = await this.#options.queue.admit(name, number, source.signal)
    if (admission.turn === 'compare') return this.#compare(admission.upload, number, source)
    const { lease, turn } = admission
    try {
      return turn === 'append'
        ? await this.#append(lease, number, source)
        : await this.#replaceLast(lease, number, source)
    } catch (error) {
      // The first error is the one to tell; a lease that can't be given back expires.
      await lease.release().catch(() => undefined)
      throw error
    }
  }

  async #append(lease: Lease, number: number, source: PartSource): Promise<UploadedPart> {
    const { drive, table } = this.#options
    const { upload } = lease
    const { driveState, size: offset } = upload
    const draft = await drive.uploads.append(driveState, { offset, ...hints(source, lease) })
    const sink = new LeasedSink(draft, lease)
    const part = await this.#pour(sink, source, { lease, number })
    const row = encodePart(part)
    await this.#commit(draft, sink, lease, (state) =>
      table.commitPart({ upload, owner: lease.owner }, row, state),
    )
    return part
  }

  async #replaceLast(lease: Lease, number: number, source: PartSource): Promise<UploadedPart> {
    const { drive, table } = this.#options
    const { upload } = lease
    const last = await this.#committedPart(upload, number)
    const offset = upload.size - last.size
    const options = { offset, replacedSize: last.size, ...hints(source, lease) }
    const draft = await drive.uploads.replaceLast?.(upload.driveState, options)
    if (draft === undefined) throw differentBytes(number)
    const sink = new LeasedSink(draft, lease)
    const part = await this.#pour(sink, source, { lease, number })
    if (isSame(part, last)) {
      await sink.discard()
      await lease.release()
      return decodePart(last)
    }
    const change = { from: last, to: encodePart(part) }
    await this.#commit(draft, sink, lease, (driveState) =>
      table.replacePart({ upload, owner: lease.owner }, { ...change, driveState }),
    )
    return part
  }

  /** A part before the last one: its bytes lie under others and can't be changed. */
  async #compare(upload: UploadRow, number: number, source: PartSource): Promise<UploadedPart> {
    const committed = await this.#committedPart(upload, number)
    const digest = await source.pour(nowhere, detailsOf(upload).checksum?.algorithm)
    if (isSame({ etag: digest.md5Hex, size: digest.size }, committed)) return decodePart(committed)
    throw differentBytes(number)
  }

  async #committedPart(upload: UploadRow, number: number): Promise<PartRow> {
    const [part] = await this.#options.table.parts(upload.id, number - 1, 1)
    // The parts go when the upload is completed, which may happen between the two reads.
    if (part?.number !== number) throw slowDown('The upload is being completed.')
    return part
  }

  async #pour(
    sink: LeasedSink,
    source: PartSource,
    target: { readonly lease: Lease; readonly number: number },
  ): Promise<UploadedPart> {
    const { lease, number } = target
    try {
      const algorithm = detailsOf(lease.upload).checksum?.algorithm
      const { md5Hex, size, checksum } = await lease.during(source.pour(sink, algorithm))
      const part = { number, etag: md5Hex, size, modifiedAtMs: this.#options.now() }
      return checksum === undefined ? part : { ...part, checksum }
    } catch (error) {
      await sink.discard()
      throw error
    }
  }

  async #commit(
    draft: PartDraft,
    sink: LeasedSink,
    lease: Lease,
    store: (driveState: string) => Promise<boolean>,
  ): Promise<void> {
    try {
      lease.assertHeld()
    } catch (error) {
      await sink.discard()
      throw error
    }
    const driveState = await draft.commit()
    if (await store(driveState)) {
      lease.end()
      this.#options.watch.notify(lease.upload.id)
      return
    }
    // The bytes lie behind what counts and will be written over.
    const current = await this.#options.table.find(lease.upload.id)
    throw current?.phase === 'open' ? leaseLost() : noSuchUpload(lease.upload.id)
  }
}

/** The drive is not told when the client goes away: the source says that, with the error to answer. */
function hints({ size }: PartSource, lease: Lease) {
  return { signal: lease.lost, ...(size === undefined ? {} : { size }) }
}

function isSame(part: Pick<PartRow, 'etag' | 'size'>, other: PartRow): boolean {
  return part.etag === other.etag && part.size === other.size
}

function differentBytes(number: number): Error {
  return slowDown(
    `Part ${number} is committed with other bytes. Only the last part can be replaced, where the drive can.`,
  )
}
