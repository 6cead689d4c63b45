import type { Database } from '../database.ts'
import { rowInserts } from '../row-inserts.ts'

export interface FailureRow {
  /** Unique. */
  readonly requestId: string
  /** Milliseconds since the epoch. */
  readonly atMs: number
  /** Its details. Opaque here. */
  readonly json: string
}

const columns = 'request_id AS "requestId", at_ms AS "atMs", json'

/** A separate row, which also clears failures that other processes noted earlier but add later. */
const clearedId = 'cleared'

/** A mark in the future predates a clock correction and hides nothing. */
const selectLatest = `SELECT ${columns} FROM failures
  WHERE request_id <> '${clearedId}' AND at_ms > COALESCE(
    (SELECT at_ms FROM failures WHERE request_id = '${clearedId}' AND at_ms <= ?), 0)
  ORDER BY at_ms DESC, request_id DESC LIMIT ?`

const insert = 'INSERT INTO failures (request_id, at_ms, json)'

/** Another process may clear at the same time: the last mark stays. */
const mark = `${insert} VALUES ('${clearedId}', ?, '')
  ON CONFLICT (request_id) DO UPDATE SET at_ms = excluded.at_ms`

const trim = `DELETE FROM failures WHERE request_id IN (
  SELECT request_id FROM failures ORDER BY at_ms DESC, request_id DESC LIMIT ? OFFSET ?)`

/** Maximum rows that one trim removes; there are never many more than are kept. */
const maxTrimmed = 10_000

/** The latest failed requests of all processes. */
export class FailureTable {
  readonly #database: Database
  readonly #kept: number

  /** @param kept the limit for rows */
  constructor(database: Database, kept: number) {
    this.#database = database
    this.#kept = kept
  }

  /**
   * Adds the rows and removes the oldest ones in one transaction, so that no reader sees more than the
   * limit.
   */
  async add(rows: readonly FailureRow[]): Promise<void> {
    const values = rows.map(({ requestId, atMs, json }) => [requestId, atMs, json])
    await this.#database.write([
      ...rowInserts(insert, values),
      { sql: trim, params: [maxTrimmed, this.#kept] },
    ])
  }

  /** Removes those up to now, and those that other processes noted until now and add later. */
  async clear(nowMs: number): Promise<void> {
    await this.#database.write([
      { sql: 'DELETE FROM failures', params: [] },
      { sql: mark, params: [nowMs] },
    ])
  }

  /** Newest first. */
  latest(nowMs: number): Promise<FailureRow[]> {
    return this.#database.read<FailureRow>(selectLatest, [nowMs, this.#kept])
  }
}
