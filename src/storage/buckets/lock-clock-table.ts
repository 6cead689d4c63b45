import type { Database } from '../../platform/state/database.ts'

const select = 'SELECT seen_ms AS "seenMs" FROM lock_clock WHERE id = 1'

const raise = `INSERT INTO lock_clock (id, seen_ms) VALUES (1, ?)
  ON CONFLICT (id) DO UPDATE SET seen_ms = CASE WHEN excluded.seen_ms > lock_clock.seen_ms
    THEN excluded.seen_ms ELSE lock_clock.seen_ms END
  RETURNING seen_ms AS "seenMs"`

/** The time of LockClock in the database. */
export class LockClockTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Undefined before the first `raise`. @throws DatabaseError */
  async read(): Promise<number | undefined> {
    const [row] = await this.#database.read<{ readonly seenMs: number }>(select)
    return row && Number(row.seenMs)
  }

  /** Resolves with the stored time, which is later if another process has seen a later one. @throws DatabaseError */
  async raise(seenMs: number): Promise<number> {
    const [result] = await this.#database.write([{ sql: raise, params: [seenMs] }])
    return Number(result?.rows[0]?.seenMs)
  }
}
