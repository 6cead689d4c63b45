import { decodeTarget, detailsOf, sortKeyOf } from './upload-records.ts'
import type { UploadTable } from './upload-table.ts'

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
  /** Only uploads after this one: of its key with a greater ID, or with no ID of a greater key. */
  readonly after: { readonly key: string; readonly uploadId: string }
}

/** Sorts after every digit in hexadecimal. */
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
    // Half a byte more: after all uploads of the key, and before those of every greater one.
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
