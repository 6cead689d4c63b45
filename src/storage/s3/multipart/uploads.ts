import { randomBytes } from 'node:crypto'
import type { ObjectName } from '../../drives/drive.ts'
import { S3Error } from '../errors.ts'
import { sentAttributes } from '../headers/object-headers.ts'
import { completeUpload, findRecovered } from './complete.ts'
import type { Completion, CompletionRequest } from './completion.ts'
import type { PartSource } from './early-part.ts'
import { Leases } from './lease.ts'
import type { PartStatistics } from './part-queue.ts'
import { PartWriter } from './part-writer.ts'
import { abortUpload, sweepUploads } from './removal.ts'
import type { UploadContext, UploadsOptions } from './upload-context.ts'
import {
  decodePart,
  decodeTarget,
  detailsOf,
  encodeTarget,
  findUpload,
  noSuchUpload,
  sortKeyOf,
  targetStart,
  type UploadDetails,
  type UploadedPart,
  type UploadName,
} from './upload-records.ts'
import type { UploadRow, UploadTable } from './upload-table.ts'
import { UploadWatch } from './upload-watch.ts'

interface PartPage {
  readonly details: UploadDetails
  readonly parts: readonly UploadedPart[]
  readonly isTruncated: boolean
}

/** An open upload, for administration. */
export interface OpenUpload extends UploadName {
  readonly createdAtMs: number
  /** When the upload began or its last part arrived. */
  readonly touchedAtMs: number
  /** When the upload is deleted unless a part arrives. */
  readonly expiresAtMs: number
  readonly partCount: number
  readonly size: number
}

/** The upload after which a page of open uploads begins, newest first. */
export interface UploadPosition {
  readonly uploadId: string
  readonly createdAtMs: number
}

/**
 * Multipart uploads. Each part is streamed to its final place, and the state is in the database. Several processes
 * may serve one upload. Where parts come in order, the lease in its row lets one at a time change its bytes. Where
 * they come in any order, each part has bytes of its own, and only Complete and Abort take the lease.
 */
export class Uploads {
  readonly #context: UploadContext
  readonly #writer: PartWriter

  constructor(options: UploadsOptions) {
    const watch = new UploadWatch(options.table)
    const leases = new Leases({ ...options, watch })
    this.#context = { ...options, watch, leases, pendingWrites: new Set() }
    this.#writer = new PartWriter(this.#context)
  }

  /** Begins an upload. Resolves with its id when it is durable. */
  async create(target: ObjectName, details: UploadDetails): Promise<string> {
    const { drive, table, now, partOrder } = this.#context
    const id = randomBytes(16).toString('base64url')
    const driveState = await drive.uploads.begin(id, target, {
      anyOrder: partOrder === 'any',
      attributes: sentAttributes(details),
      checksum: details.checksum,
    })
    try {
      await table.insert({
        id,
        target: encodeTarget(target),
        details: JSON.stringify(details),
        driveState,
        createdAtMs: now(),
        sortKey: sortKeyOf(target),
      })
    } catch (error) {
      // If this fails as well, the sweep removes the bytes.
      await drive.uploads.abort(driveState).catch(() => undefined)
      throw error
    }
    return id
  }

  /** See PartWriter.write. */
  writePart(name: UploadName, number: number, source: PartSource): Promise<UploadedPart> {
    return this.#writer.write(name, number, source)
  }

  /** @throws S3Error NoSuchUpload if no upload of this bucket and key has the ID. */
  async require(name: UploadName): Promise<void> {
    await findUpload(this.#context.table, name)
  }

  /** See completeUpload. */
  complete(name: UploadName, request: CompletionRequest, signal: AbortSignal): Promise<Completion> {
    return completeUpload(this.#context, name, { request, signal })
  }

  /** See abortUpload. */
  abort(name: UploadName, signal: AbortSignal): Promise<void> {
    return abortUpload(this.#context, name, signal)
  }

  /**
   * At most `limit` parts with numbers above `after`.
   *
   * @throws S3Error NoSuchUpload; SlowDown while a Complete is in progress.
   */
  async listParts(
    name: UploadName,
    page: { readonly after: number; readonly limit: number },
    signal: AbortSignal,
  ): Promise<PartPage> {
    const upload = await findRecovered(this.#context, name, signal)
    if (upload.phase !== 'open') throw noSuchUpload(upload.id)
    const rows = await this.#context.table.parts(upload.id, page.after, page.limit + 1)
    return {
      details: detailsOf(upload),
      parts: rows.slice(0, page.limit).map(decodePart),
      // As on AWS, nothing follows an empty page.
      isTruncated: page.limit > 0 && rows.length > page.limit,
    }
  }

  /** Undefined if there is no such upload. */
  find(uploadId: string): Promise<UploadRow | undefined> {
    return this.#context.table.find(uploadId)
  }

  /** Returns how many bytes a part of this number would replace; infinite if it would only be compared. */
  async replacedBytes(upload: UploadRow, number: number): Promise<number> {
    const { drive, table } = this.#context
    // Both are stored: the old part stays in its slot until the upload ends, or in its file until the new part is
    // stored.
    if (drive.uploads.abilities(upload.driveState).anyOrder !== undefined) return 0
    // Only the last part can be replaced. An earlier part that is sent again is only compared, not stored.
    if (number < upload.partCount) return Number.POSITIVE_INFINITY
    if (number > upload.partCount) return 0
    const [part] = await table.parts(upload.id, number - 1, 1)
    return part?.number === number ? part.size : 0
  }

  /** The bytes of the parts of all open uploads, by bucket. */
  openBytes(): Promise<ReadonlyMap<string, number>> {
    return this.#context.table.openBytes()
  }

  /** The number of open uploads of all processes. */
  countOpen(): Promise<number> {
    return this.#context.table.countOpen()
  }

  statistics(): PartStatistics {
    return this.#writer.statistics()
  }

  /** At most `limit` open uploads of the bucket, or of all, newest first. */
  async listOpen(page: {
    readonly bucket: string | undefined
    readonly after: UploadPosition | undefined
    readonly limit: number
  }): Promise<OpenUpload[]> {
    const { table, expiryMs } = this.#context
    const { bucket, after, limit } = page
    const rows = await table.open(
      targetStart(bucket),
      after && { id: after.uploadId, createdAtMs: after.createdAtMs },
      limit,
    )
    return rows.map(({ id, target, createdAtMs, touchedAtMs, partCount, size }) => ({
      ...{ uploadId: id, ...decodeTarget(target), createdAtMs, touchedAtMs, partCount, size },
      expiresAtMs: touchedAtMs + expiryMs,
    }))
  }

  /** The open uploads of the bucket by key, and those of one key by upload ID. */
  listByKey(bucket: string, query: UploadListQuery): UploadCursor {
    return new UploadCursor(this.#context.table, bucket, query)
  }

  /** As `abort`, for callers that know only the ID. Resolves with false if the upload is not open. */
  async abortById(uploadId: string, signal: AbortSignal): Promise<boolean> {
    const upload = await this.#context.table.find(uploadId)
    if (upload === undefined) return false
    try {
      await this.abort({ uploadId, ...decodeTarget(upload.target) }, signal)
      return true
    } catch (error) {
      if (error instanceof S3Error && error.code === 'NoSuchUpload') return false
      throw error
    }
  }

  /** See sweepUploads. Call it at startup and periodically, in one process or several. */
  sweep(signal?: AbortSignal): Promise<void> {
    return sweepUploads(this.#context, signal)
  }

  /** Resolves when every write that no reply waited for has ended. Call before closing the database. */
  async idle(): Promise<void> {
    await Promise.all(this.#context.pendingWrites)
  }
}

/** An open upload in a listing. */
export interface ListedUpload {
  readonly kind: 'object'
  readonly key: string
  readonly uploadId: string
  readonly createdAtMs: number
  readonly storageClass?: string
}

export interface UploadListQuery {
  /** Only keys that begin with this. */
  readonly prefix: string
  /**
   * Only uploads after this one: those of its key with a greater ID, and those of greater keys. Without an ID: only
   * those of greater keys.
   */
  readonly after: { readonly key: string; readonly uploadId: string }
}

/** Sorts after every hexadecimal digit. */
const afterHex = 'g'

/** Open uploads in strict UTF-8 byte order of their keys, and those of one key in the order of their IDs. */
export class UploadCursor {
  readonly #table: Pick<UploadTable, 'openByKey'>
  readonly #bucket: string
  readonly #end: string
  #after: { readonly sortKey: string; readonly id: string }

  constructor(
    table: Pick<UploadTable, 'openByKey'>,
    bucket: string,
    { prefix, after }: UploadListQuery,
  ) {
    this.#table = table
    this.#bucket = bucket
    const start = this.#sortKey(prefix)
    this.#end = start + afterHex
    const { key, uploadId } = after
    // Half a byte more sorts after all uploads of the key, and before those of any greater key.
    const sortKey = uploadId === '' && key !== '' ? `${this.#sortKey(key)}0` : this.#sortKey(key)
    this.#after = { sortKey, id: uploadId }
    this.#seek(start)
  }

  /** The next uploads: at least one and at most `limit`, or none at the end. @throws DatabaseError */
  async next(limit: number): Promise<ListedUpload[]> {
    const rows = await this.#table.openByKey(this.#after, this.#end, limit)
    const uploads = rows.map((row) => {
      const { key } = decodeTarget(row.target)
      const { storageClass } = detailsOf(row)
      const { id: uploadId, createdAtMs } = row
      return {
        kind: 'object' as const,
        key,
        uploadId,
        createdAtMs,
        ...(storageClass && { storageClass }),
      }
    })
    const last = uploads.at(-1)
    if (last) this.#after = { sortKey: this.#sortKey(last.key), id: last.uploadId }
    return uploads
  }

  /** Continues with the first upload whose key is at least `key`. Never moves back. */
  seek(key: string): void {
    this.#seek(this.#sortKey(key))
  }

  #seek(sortKey: string): void {
    if (sortKey > this.#after.sortKey) this.#after = { sortKey, id: '' }
  }

  #sortKey(key: string): string {
    return sortKeyOf({ bucket: this.#bucket, key })
  }
}
