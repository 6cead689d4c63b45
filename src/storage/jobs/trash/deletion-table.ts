import type { Database, Statement } from '../../../platform/state/database.ts'

/** What one deletion has moved to the trash, as people chose it. */
export interface ChosenPaths {
  /** Keys of files, and of folders, which end in a slash. The first ones. */
  readonly paths: readonly string[]
  readonly count: number
}

export interface Deletion extends ChosenPaths {
  readonly bucket: string
  readonly trashId: string
}

/** A repeated job has the same deletion. */
const insert = `INSERT INTO trash_deletions (bucket, trash_id, chosen) VALUES (?, ?, ?)
  ON CONFLICT (bucket, trash_id) DO NOTHING`

/** Maximum rows that one trim removes; there are never many more than are kept. */
const maxTrimmed = 100

/** Later deletions have smaller ids. */
const trim = `DELETE FROM trash_deletions WHERE (bucket, trash_id) IN (
  SELECT bucket, trash_id FROM trash_deletions ORDER BY trash_id, bucket LIMIT ${maxTrimmed} OFFSET ?)`

const keptDeletions = 20_000

/** For the removal of a bucket. */
export function deleteBucketDeletions(bucket: string): Statement {
  return { sql: 'DELETE FROM trash_deletions WHERE bucket = ?', params: [bucket] }
}

/** The latest deletions. Without a row, the trash shows the keys of the objects instead. */
export class DeletionTable {
  readonly #database: Pick<Database, 'read' | 'write'>
  readonly #kept: number

  /** @param kept the maximum number of rows */
  constructor(database: Pick<Database, 'read' | 'write'>, kept = keptDeletions) {
    this.#database = database
    this.#kept = kept
  }

  async add({ bucket, trashId, ...chosen }: Deletion): Promise<void> {
    await this.#database.write([
      { sql: insert, params: [bucket, trashId, JSON.stringify(chosen)] },
      { sql: trim, params: [this.#kept] },
    ])
  }

  /** By id. */
  async find(bucket: string, ids: readonly string[]): Promise<ReadonlyMap<string, ChosenPaths>> {
    if (ids.length === 0) return new Map()
    const rows = await this.#database.read<{ id: string; chosen: string }>(
      `SELECT trash_id AS id, chosen FROM trash_deletions
       WHERE bucket = ? AND trash_id IN (${ids.map(() => '?').join(', ')})`,
      [bucket, ...ids],
    )
    return new Map(rows.map(({ id, chosen }) => [id, JSON.parse(chosen) as ChosenPaths]))
  }
}
