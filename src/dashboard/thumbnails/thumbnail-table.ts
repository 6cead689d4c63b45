import type { Database, Statement } from '../../platform/state/database.ts'

export interface ThumbnailRow {
  readonly bucket: string
  /** The ETag of the pictured objects: objects with the same bytes share a thumbnail. */
  readonly etag: string
  /** When it was made, milliseconds since the epoch. */
  readonly atMs: number
  readonly picture: Uint8Array
}

const select = 'SELECT picture FROM thumbnails WHERE bucket = ? AND etag = ?'

/** The first picture stays, because browsers cache it. */
const insert = `INSERT INTO thumbnails (bucket, etag, at_ms, picture) VALUES (?, ?, ?, ?)
  ON CONFLICT (bucket, etag) DO NOTHING`

/** Maximum rows that one trim removes; there are never many more than are kept. */
const maxTrimmed = 100

const trim = `DELETE FROM thumbnails WHERE (bucket, etag) IN (
  SELECT bucket, etag FROM thumbnails ORDER BY at_ms DESC, bucket DESC, etag DESC LIMIT ${maxTrimmed} OFFSET ?)`

/** For the removal of a bucket. */
export function deleteBucketThumbnails(bucket: string): Statement {
  return { sql: 'DELETE FROM thumbnails WHERE bucket = ?', params: [bucket] }
}

/** Of about 10 KiB each. */
const keptThumbnails = 20_000

/** The latest thumbnails, in the database. Browsers recreate those that are lost. */
export class ThumbnailTable {
  readonly #database: Pick<Database, 'read' | 'write'>
  readonly #kept: number

  /** @param kept the maximum number of rows */
  constructor(database: Pick<Database, 'read' | 'write'>, kept = keptThumbnails) {
    this.#database = database
    this.#kept = kept
  }

  async find(bucket: string, etag: string): Promise<Uint8Array | undefined> {
    const [row] = await this.#database.read<{ picture: string }>(select, [bucket, etag])
    return row && Buffer.from(row.picture, 'base64')
  }

  /** Adds one if there is none, and removes the oldest beyond the limit. */
  async add({ bucket, etag, atMs, picture }: ThumbnailRow): Promise<void> {
    const text = Buffer.from(picture).toString('base64')
    await this.#database.write([
      { sql: insert, params: [bucket, etag, atMs, text] },
      { sql: trim, params: [this.#kept] },
    ])
  }
}
