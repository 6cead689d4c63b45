import type { Database, SqlValue, Statement } from '../../platform/state/database.ts'
import { listStatements, valueLists } from '../../platform/state/statements.ts'

/** An event for one target. */
export interface EventRow {
  readonly id: string
  readonly target: string
  /** Greater for later changes. */
  readonly sequencer: string
  /** JSON, opaque to the table. */
  readonly message: string
  /** Milliseconds since the epoch, by the database's clock. */
  readonly madeAtMs: number
  /** Attempts to send the event; before it is confirmed, checks of the object. */
  readonly attempts: number
  /** The time of the next attempt. */
  readonly dueAtMs: number
}

/** The identity of a row. */
export type EventId = Pick<EventRow, 'id' | 'target'>
/** The next attempt of a row. */
export type Postponement = EventId & Pick<EventRow, 'attempts' | 'dueAtMs'>

export interface EventTableCounts {
  /** Events that are not accepted yet, and intents. */
  readonly waiting: number
  /** Events that were never accepted. */
  readonly dead: number
}

const columns = 'id, target, is_confirmed, sequencer, message, made_at_ms, attempts, due_at_ms'
const insertIntent = `INSERT INTO events (${columns}) VALUES (?, ?, 0, ?, ?, ?, ?, ?)`
/** Also inserts the row, because the intent of a slow change may have been canceled. */
const confirm = `INSERT INTO events (${columns}) VALUES (?, ?, 1, ?, ?, ?, ?, ?)
  ON CONFLICT (id, target) DO UPDATE SET is_confirmed = 1, sequencer = excluded.sequencer,
    message = excluded.message, attempts = excluded.attempts, due_at_ms = excluded.due_at_ms`
const deleteIntent = 'DELETE FROM events WHERE id = ? AND target = ? AND is_confirmed = 0'
const postpone = 'UPDATE events SET attempts = ?, due_at_ms = ? WHERE id = ? AND target = ?'
const selectDue = `SELECT id, target, sequencer, message, made_at_ms AS "madeAtMs", attempts,
  due_at_ms AS "dueAtMs" FROM events WHERE target = ? AND is_confirmed = ? AND due_at_ms <= ?
  ORDER BY due_at_ms, sequencer LIMIT ?`
/** Events of a target that is no longer configured are never tried. */
const isOld = 'made_at_ms < ? AND (attempts > 0 OR made_at_ms < ?)'
/** With a list of single values SQLite uses an index; for a list of pairs it would read the whole table. */
const old = `id IN (SELECT id FROM events WHERE ${isOld} ORDER BY made_at_ms, id LIMIT ?) AND ${isOld}`
const bury = `INSERT INTO dead_events (id, target, message, made_at_ms, attempts, died_at_ms)
  SELECT id, target, message, made_at_ms, attempts, CAST(? AS BIGINT) FROM events WHERE ${old}
  ON CONFLICT DO NOTHING`
const deleteOld = `DELETE FROM events WHERE ${old}`
const retime = 'UPDATE events SET made_at_ms = ?, due_at_ms = ? WHERE made_at_ms > ?'
const deleteSent = (ids: string) => `DELETE FROM events WHERE id IN (${ids}) AND target = ?`
const trimDead = `DELETE FROM dead_events WHERE died_at_ms < (SELECT died_at_ms FROM dead_events
  ORDER BY died_at_ms DESC LIMIT 1 OFFSET ?)`
const count = (table: string) =>
  `SELECT count(*) AS rows FROM (SELECT 1 FROM ${table} LIMIT ?) AS counted`

/** The maximum number of rows that are moved at once. */
const maxBuried = 500
/** The tolerated difference between the clocks of processes. */
const aheadMs = 60_000

/** Events in the database. A row is an intent from before a change until the change is known to have happened. */
export class EventTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Stores events of a change that is about to happen. */
  async intend(rows: readonly EventRow[]): Promise<void> {
    await this.#database.write(rows.map((row) => ({ sql: insertIntent, params: valuesOf(row) })))
  }

  /** Stores events of a change that has happened. */
  async confirm(rows: readonly EventRow[]): Promise<void> {
    await this.#database.write(rows.map((row) => ({ sql: confirm, params: valuesOf(row) })))
  }

  /** Deletes events of a change that has not happened. */
  async cancel(ids: readonly EventId[]): Promise<void> {
    const params = ids.map(({ id, target }) => [id, target])
    await this.#database.write(params.map((values) => ({ sql: deleteIntent, params: values })))
  }

  /** Due rows of the target, by due time and then in the order of the changes. */
  due(
    target: string,
    { isConfirmed, nowMs, limit }: { isConfirmed: boolean; nowMs: number; limit: number },
  ): Promise<EventRow[]> {
    return this.#database.read<EventRow>(selectDue, [target, isConfirmed ? 1 : 0, nowMs, limit])
  }

  /** Deletes sent events, and sets the next attempts of the others. */
  async settle(
    target: string,
    sent: readonly string[],
    postponed: readonly Postponement[],
  ): Promise<void> {
    const statements: Statement[] = [
      ...listStatements(valueLists(sent), deleteSent, [target]),
      ...postponed.map(({ id, attempts, dueAtMs }) => {
        return { sql: postpone, params: [attempts, dueAtMs, id, target] }
      }),
    ]
    if (statements.length > 0) await this.#database.write(statements)
  }

  /**
   * Moves events from before `beforeMs` to the dead events, of which the latest `most`, or a few more, are kept. Events
   * that were never tried stay twice as long. Returns the numbers of moved events and of dropped dead events.
   */
  async bury({
    beforeMs,
    nowMs,
    most,
  }: {
    beforeMs: number
    nowMs: number
    most: number
  }): Promise<{ readonly buried: number; readonly dropped: number }> {
    const ages = [beforeMs, 2 * beforeMs - nowMs]
    const limits = [...ages, maxBuried, ...ages]
    const [, moved, , trimmed] = await this.#database.write([
      // Events made while the clock was ahead would otherwise wait until that time.
      { sql: retime, params: [nowMs, nowMs, nowMs + aheadMs] },
      { sql: bury, params: [nowMs, ...limits] },
      { sql: deleteOld, params: limits },
      { sql: trimDead, params: [most] },
    ])
    return { buried: moved?.changes ?? 0, dropped: trimmed?.changes ?? 0 }
  }

  /** The number of waiting events; counts at most `most`. */
  countWaiting(most: number): Promise<number> {
    return this.#count('events', most)
  }

  /** For monitoring. Counts at most `most` of each. */
  async counts(most: number): Promise<EventTableCounts> {
    const tables = ['events', 'dead_events'] as const
    const [waiting, dead] = await Promise.all(tables.map((table) => this.#count(table, most)))
    return { waiting: waiting ?? 0, dead: dead ?? 0 }
  }

  async #count(table: string, most: number): Promise<number> {
    const [row] = await this.#database.read<{ readonly rows: number }>(count(table), [most])
    return Number(row?.rows ?? 0)
  }
}

function valuesOf(row: EventRow): SqlValue[] {
  const { id, target, sequencer, message, madeAtMs, attempts, dueAtMs } = row
  return [id, target, sequencer, message, madeAtMs, attempts, dueAtMs]
}
