import type { Database, Statement } from '../../../platform/state/database.ts'

/** `star`: until it is removed. `opened`: when somebody last looked at the file. */
export type MarkKind = 'star' | 'opened'

export interface MarkedPath {
  readonly bucket: string
  /** A folder ends in a slash. */
  readonly key: string
}

export interface Mark extends MarkedPath {
  readonly kind: MarkKind
  /** Milliseconds since the epoch. */
  readonly atMs: number
}

/** The maximum number of rows. */
const kept = { star: 1_000, opened: 200 } as const satisfies Record<MarkKind, number>

const columns = 'kind, bucket, object_key AS key, at_ms AS "atMs"'

const insert = `INSERT INTO marked_paths (kind, bucket, object_key, at_ms) VALUES (?, ?, ?, ?)
  ON CONFLICT (kind, bucket, object_key) DO UPDATE SET at_ms = excluded.at_ms`

const remove = 'DELETE FROM marked_paths WHERE kind = ? AND bucket = ? AND object_key = ?'

/** Maximum rows that one trim removes. */
const maxTrimmed = 1_000

const trim = `DELETE FROM marked_paths WHERE (kind, bucket, object_key) IN (
  SELECT kind, bucket, object_key FROM marked_paths WHERE kind = ?
  ORDER BY at_ms DESC, bucket, object_key LIMIT ${maxTrimmed} OFFSET ?)`

/** For the removal of a bucket. */
export function deleteBucketMarks(bucket: string): Statement {
  return { sql: 'DELETE FROM marked_paths WHERE bucket = ?', params: [bucket] }
}

/** The latest stars and opened files of the dashboard. */
export class MarkTable {
  readonly #database: Pick<Database, 'read' | 'write'>

  constructor(database: Pick<Database, 'read' | 'write'>) {
    this.#database = database
  }

  async add(marks: readonly Mark[]): Promise<void> {
    const kinds = new Set(marks.map(({ kind }) => kind))
    await this.#database.write([
      ...marks.map(({ kind, bucket, key, atMs }) => {
        return { sql: insert, params: [kind, bucket, key, atMs] }
      }),
      ...Array.from(kinds, (kind) => ({ sql: trim, params: [kind, kept[kind]] })),
    ])
  }

  async remove(kind: MarkKind, paths: readonly MarkedPath[]): Promise<void> {
    await this.#database.write(
      paths.map(({ bucket, key }) => ({ sql: remove, params: [kind, bucket, key] })),
    )
  }

  /** The latest first. */
  list(kind: MarkKind): Promise<Mark[]> {
    const sql = `SELECT ${columns} FROM marked_paths WHERE kind = ? ORDER BY at_ms DESC, bucket, object_key`
    return this.#database.read<Mark>(sql, [kind])
  }

  /** Gives what was moved its new paths. The path of a folder also moves what is in it. */
  async follow(
    bucket: string,
    paths: readonly string[],
    to: { readonly bucket: string; readonly paths: readonly string[] },
  ): Promise<void> {
    const marks = await this.#database.read<Mark>(
      `SELECT ${columns} FROM marked_paths WHERE bucket = ?`,
      [bucket],
    )
    if (marks.length === 0) return
    const moved = new Map(paths.map((path, index) => [path, to.paths[index] ?? path]))
    const statements = marks.flatMap(({ kind, key, atMs }): Statement[] => {
      const now = newPath(key, moved)
      if (now === undefined) return []
      return [
        { sql: remove, params: [kind, bucket, key] },
        { sql: insert, params: [kind, to.bucket, now, atMs] },
      ]
    })
    if (statements.length > 0) await this.#database.write(statements)
  }
}

function newPath(key: string, moved: ReadonlyMap<string, string>): string | undefined {
  const whole = moved.get(key)
  if (whole !== undefined) return whole
  for (let end = key.lastIndexOf('/'); end >= 0; end = key.lastIndexOf('/', end - 1)) {
    const folder = moved.get(key.slice(0, end + 1))
    if (folder !== undefined) return folder + key.slice(end + 1)
    if (end === 0) return undefined
  }
  return undefined
}
