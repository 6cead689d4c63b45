import type { Database, Statement } from '../../platform/state/database.ts'
import { bumpRevision, currentRevision } from '../../platform/state/revision-table.ts'

/** The options of a bucket, set at run time. */
export interface BucketOptionsRow {
  readonly bucket: string
  /** CORS rules as JSON; '' for none. Opaque to the table. */
  readonly cors: string
  /** Lifecycle rules as JSON; '' for none. Opaque to the table. */
  readonly lifecycle: string
  readonly quotaBytes: number | null
  /** 1 if anonymous users may read the bucket. */
  readonly isPublic: number
  /** The revision of `buckets` at the last change. */
  readonly revision: number
}

/** A document of a bucket. Opaque to the table. */
export interface BucketDocumentRow {
  readonly bucket: string
  readonly name: string
  /** '' for none. */
  readonly document: string
  /** As in BucketOptionsRow. */
  readonly revision: number
}

/** The columns to change, and the documents by name. */
export type BucketOptionsChange = Partial<
  Pick<BucketOptionsRow, 'cors' | 'lifecycle' | 'quotaBytes' | 'isPublic'>
> & { readonly documents?: Readonly<Record<string, string>> }

const selectChanged = `SELECT bucket, cors, lifecycle, quota_bytes AS "quotaBytes",
  is_public AS "isPublic", revision FROM bucket_options WHERE revision > ?`

const selectChangedDocuments =
  'SELECT bucket, name, document, revision FROM bucket_documents WHERE revision > ?'

/** One statement per column, so that concurrent changes of different columns do not undo each other. */
const setColumn = {
  cors: upsert('cors', "?, '', NULL, 0"),
  lifecycle: upsert('lifecycle', "'', ?, NULL, 0"),
  quotaBytes: upsert('quota_bytes', "'', '', ?, 0"),
  isPublic: upsert('is_public', "'', '', NULL, ?"),
} as const

function upsert(column: string, values: string): string {
  return `INSERT INTO bucket_options (bucket, cors, lifecycle, quota_bytes, is_public, revision)
    VALUES (?, ${values}, ${currentRevision('buckets')})
    ON CONFLICT (bucket) DO UPDATE SET ${column} = excluded.${column}, revision = excluded.revision`
}

const setDocument = `INSERT INTO bucket_documents (bucket, name, document, revision)
  VALUES (?, ?, ?, ${currentRevision('buckets')})
  ON CONFLICT (bucket, name) DO UPDATE SET document = excluded.document, revision = excluded.revision`

const clear = `UPDATE bucket_options SET cors = '', lifecycle = '', quota_bytes = NULL,
  is_public = 0, revision = ${currentRevision('buckets')} WHERE bucket = ?`

const clearDocuments = `UPDATE bucket_documents SET document = '', revision = ${currentRevision('buckets')}
  WHERE bucket = ?`

/** Bucket options in the database. */
export class BucketOptionsTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Rows changed after this revision; 0: all rows. */
  changedAfter(revision: number): Promise<BucketOptionsRow[]> {
    return this.#database.read<BucketOptionsRow>(selectChanged, [revision])
  }

  /** As `changedAfter`. */
  documentsChangedAfter(revision: number): Promise<BucketDocumentRow[]> {
    return this.#database.read<BucketDocumentRow>(selectChangedDocuments, [revision])
  }

  /**
   * Changes the given columns and documents of the bucket.
   *
   * @param held of a lease: nothing is changed if it is lost. @throws UnmetChange then
   */
  async change(bucket: string, change: BucketOptionsChange, held: Statement[] = []): Promise<void> {
    const { cors, lifecycle, quotaBytes, isPublic, documents = {} } = change
    const statements: Statement[] = [...held, bumpRevision('buckets')]
    if (cors !== undefined) statements.push({ sql: setColumn.cors, params: [bucket, cors] })
    if (lifecycle !== undefined) {
      statements.push({ sql: setColumn.lifecycle, params: [bucket, lifecycle] })
    }
    if (quotaBytes !== undefined) {
      statements.push({ sql: setColumn.quotaBytes, params: [bucket, quotaBytes] })
    }
    if (isPublic !== undefined) {
      statements.push({ sql: setColumn.isPublic, params: [bucket, isPublic] })
    }
    statements.push(...setBucketDocuments(bucket, documents))
    await this.#database.write(statements)
  }
}

/** As for BucketOptionsTable.change, for another transaction after `bumpRevision('buckets')`. */
export function setBucketDocuments(
  bucket: string,
  documents: Readonly<Record<string, string>>,
): Statement[] {
  return Object.entries(documents).map(([name, document]) => {
    return { sql: setDocument, params: [bucket, name, document] }
  })
}

/**
 * For the transaction that removes a bucket, after `bumpRevision('buckets')`: a later bucket with the same name starts
 * without options.
 */
export function clearBucketOptions(bucket: string): readonly Statement[] {
  return [clear, clearDocuments].map((sql) => ({ sql, params: [bucket] }))
}
