import type { Database, Statement } from '../../platform/state/database.ts'
import { bumpRevision } from '../../platform/state/revision-table.ts'
import { writeAll } from '../../platform/state/statements.ts'
import { DatabaseLeases } from '../drives/kit/key-lease-table.ts'
import { clearBucketOptions, setBucketDocuments } from './bucket-option-table.ts'

/** A bucket that was created at run time. */
export interface MadeBucketRow {
  readonly bucket: string
  /** Milliseconds since the epoch. */
  readonly madeAtMs: number
  /** 1 while its folder is being removed. An interrupted removal is finished later. */
  readonly isRemoving: number
  /** The region of its creation; '' for REGION. */
  readonly region: string
}

/** The key of the lease on creating and removing buckets, which one process has at a time. */
export const changeKey = 'made buckets'

const selectAll = `SELECT bucket, made_at_ms AS "madeAtMs", is_removing AS "isRemoving", region
  FROM made_buckets ORDER BY made_at_ms, bucket`
const insertFound = `INSERT INTO made_buckets (bucket, made_at_ms, is_removing)
  VALUES (?, ?, 0) ON CONFLICT (bucket) DO NOTHING`
const insertMade = `INSERT INTO made_buckets (bucket, made_at_ms, is_removing, region)
  VALUES (?, ?, 0, ?)`
const setRemoving = 'UPDATE made_buckets SET is_removing = ? WHERE bucket = ?'
const deleteMade = 'DELETE FROM made_buckets WHERE bucket = ? AND is_removing = 1'

/** Made buckets in the database. A method that returns false has changed nothing, because the lease was lost. */
export class MadeBucketTable {
  /** For `changeKey`. */
  readonly leases: DatabaseLeases
  readonly #database: Database
  readonly #forget: (bucket: string) => readonly Statement[]

  /** @param forget deletes the rows of a removed bucket in other tables. Not needed for reading */
  constructor(database: Database, forget: (bucket: string) => readonly Statement[] = () => []) {
    this.#database = database
    this.#forget = forget
    this.leases = new DatabaseLeases(database, '/buckets')
  }

  /** Oldest first. */
  all(): Promise<MadeBucketRow[]> {
    return this.#database.read<MadeBucketRow>(selectAll)
  }

  /** Adds buckets that the drive knows, before they are served. */
  async addFound(buckets: readonly string[], madeAtMs: number): Promise<void> {
    await this.#database.write([
      bumpRevision('buckets'),
      ...buckets.map((bucket) => ({ sql: insertFound, params: [bucket, madeAtMs] })),
    ])
  }

  /**
   * Gives a bucket that does not exist yet the documents that it has from the beginning (bucket-option-table.ts), and no
   * other options: a request may have set some for an earlier bucket of this name after its removal.
   *
   * @param owner the holder of the lease of `changeKey`, as in all methods below
   */
  setFirstOptions(
    bucket: string,
    documents: Readonly<Record<string, string>>,
    owner: string,
  ): Promise<boolean> {
    const options = [...clearBucketOptions(bucket), ...setBucketDocuments(bucket, documents)]
    return writeAll(this.#database, this.#held(owner), options)
  }

  add({ bucket, madeAtMs, region }: Omit<MadeBucketRow, 'isRemoving'>, owner: string) {
    return this.#change({ sql: insertMade, params: [bucket, madeAtMs, region] }, owner)
  }

  setRemoving(bucket: string, isRemoving: boolean, owner: string): Promise<boolean> {
    return this.#change({ sql: setRemoving, params: [isRemoving ? 1 : 0, bucket] }, owner)
  }

  /** Deletes a bucket that is being removed, with its options and all other rows about it. */
  remove(bucket: string, owner: string): Promise<boolean> {
    return this.#change({ sql: deleteMade, params: [bucket] }, owner, [
      ...clearBucketOptions(bucket),
      ...this.#forget(bucket),
    ])
  }

  /** Changes nothing if the process was suspended and has lost the lease. */
  #change(change: Statement, owner: string, others: readonly Statement[] = []): Promise<boolean> {
    return writeAll(this.#database, [...this.#held(owner), change], others)
  }

  #held(owner: string): readonly Statement[] {
    return [this.leases.heldBy(changeKey, owner), bumpRevision('buckets')]
  }
}
