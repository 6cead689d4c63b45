import type { Database } from '../../platform/state/database.ts'
import { rowInserts } from '../../platform/state/statements.ts'

/** `own`: a failed request of the dashboard, which has already shown the failure. */
export type ActivityKind = 'failure' | 'own' | 'change'

export interface ActivityRow {
  /** Unique. */
  readonly requestId: string
  /** Milliseconds since the epoch. */
  readonly atMs: number
  readonly kind: ActivityKind
  /** The details. Opaque here. */
  readonly json: string
}

/** A page of the list, newest first. */
export interface ActivityPage {
  readonly kinds: readonly ActivityKind[]
  /** Only rows older than this one. */
  readonly after: Pick<ActivityRow, 'atMs' | 'requestId'> | undefined
  readonly fromMs: number
  readonly limit: number
}

const columns = 'request_id AS "requestId", at_ms AS "atMs", kind, json'

/**
 * The id of a marker row. It also hides failures that other processes noted before the clearing and write after it.
 */
const clearedId = 'cleared'

/** A mark in the future predates a clock correction and hides nothing. */
const clearedAt = `COALESCE(
  (SELECT at_ms FROM failures WHERE request_id = '${clearedId}' AND at_ms <= ?), 0)`

const insert = 'INSERT INTO failures (request_id, at_ms, kind, json)'

/** Another process may clear at the same time: the last mark wins. */
const mark = `${insert} VALUES ('${clearedId}', ?, 'failure', '')
  ON CONFLICT (request_id) DO UPDATE SET at_ms = excluded.at_ms`

const trim = `DELETE FROM failures WHERE request_id IN (
  SELECT request_id FROM failures WHERE kind = ? ORDER BY at_ms DESC, request_id DESC LIMIT ? OFFSET ?)`

/** Maximum rows that one trim removes; there are never many more than are kept. */
const maxTrimmed = 10_000

/** The latest requests of all processes that failed or changed something. */
export class ActivityTable {
  readonly #database: Database
  readonly #kept: Readonly<Record<ActivityKind, number>>

  /** @param kept the maximum number of rows of each kind */
  constructor(database: Database, kept: Readonly<Record<ActivityKind, number>>) {
    this.#database = database
    this.#kept = kept
  }

  /**
   * Adds the rows and removes the oldest ones in one transaction, so that no reader sees more than the
   * limit.
   */
  async add(rows: readonly ActivityRow[]): Promise<void> {
    const values = rows.map(({ requestId, atMs, kind, json }) => [requestId, atMs, kind, json])
    const kinds = new Set(rows.map(({ kind }) => kind))
    await this.#database.write([
      ...rowInserts(insert, values),
      ...Array.from(kinds, (kind) => ({ sql: trim, params: [kind, maxTrimmed, this.#kept[kind]] })),
    ])
  }

  /** Removes all failures up to now, including those that other processes have noted but not yet written. */
  async clear(nowMs: number): Promise<void> {
    await this.#database.write([
      { sql: `DELETE FROM failures WHERE kind <> 'change'`, params: [] },
      { sql: mark, params: [nowMs] },
    ])
  }

  /** Newest first. */
  page(nowMs: number, { kinds, after, fromMs, limit }: ActivityPage): Promise<ActivityRow[]> {
    const { atMs = Number.MAX_SAFE_INTEGER, requestId = '' } = after ?? {}
    return this.#database.read<ActivityRow>(
      `SELECT ${columns} FROM failures
       WHERE kind IN (${kinds.map(() => '?').join(', ')}) AND request_id <> '${clearedId}'
       AND at_ms >= ? AND (at_ms < ? OR (at_ms = ? AND request_id < ?))
       AND (kind = 'change' OR at_ms > ${clearedAt})
       ORDER BY at_ms DESC, request_id DESC LIMIT ?`,
      [...kinds, fromMs, atMs, atMs, requestId, nowMs, limit],
    )
  }
}
