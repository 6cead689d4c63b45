import { startOf } from '../../platform/process/identity.ts'
import type { CallOptions, Database } from '../../platform/state/database.ts'
import { bumpRevision } from '../../platform/state/revision-table.ts'
import { writeAll } from '../../platform/state/statements.ts'

/** A gateway: a primary process with its workers. */
export interface GatewayRow {
  /** Random, a new one at every start. */
  readonly id: string
  /** Its primary process (process/identity.ts). */
  readonly process: string
  /** The database's time, milliseconds since the epoch. */
  readonly startedAtMs: number
  /** Changes with every heartbeat. */
  readonly beat: number
  /**
   * The latest time at which its processes may have started, as of the last heartbeat: clock ticks of its host
   * since boot; 0 where the system does not provide them.
   */
  readonly beatTicks: number
  /** 0 while it runs. */
  readonly endedAtMs: number
  /** GatewayFacts. */
  readonly json: string
  /** A question to another gateway, or empty (app/fleet/shared-probe.ts). */
  readonly question: string
  /** The answer to a question of another gateway, or empty. */
  readonly answer: string
}

const columns = `id, process, started_at_ms AS "startedAtMs", beat, beat_ticks AS "beatTicks",
  ended_at_ms AS "endedAtMs", json, question, answer`
const selectAll = `SELECT ${columns} FROM gateways ORDER BY started_at_ms, id`
const insertOne = `INSERT INTO gateways
  (id, process, started_at_ms, beat, beat_ticks, ended_at_ms, json) VALUES (?, ?, ?, 0, ?, 0, ?)`
const setBeat =
  'UPDATE gateways SET beat = beat + 1, beat_ticks = ? WHERE id = ? AND ended_at_ms = 0'
const setFacts = 'UPDATE gateways SET json = ? WHERE id = ?'
const setQuestion = 'UPDATE gateways SET question = ? WHERE id = ?'
const setAnswer = 'UPDATE gateways SET answer = ? WHERE id = ?'
/** Requires the beat that was read: a gateway with a newer heartbeat has not ended. */
const setEnded = 'UPDATE gateways SET ended_at_ms = ? WHERE id = ? AND beat = ? AND ended_at_ms = 0'
const setOwnEnd = 'UPDATE gateways SET ended_at_ms = ? WHERE id = ? AND ended_at_ms = 0'
const deleteOne = 'DELETE FROM gateways WHERE id = ?'
const deleteEnded = 'DELETE FROM gateways WHERE id = ? AND ended_at_ms <> 0'

/** The gateways in the database. Every method @throws DatabaseError. */
export class GatewayTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** All gateways, the longest-running first. */
  all(options?: CallOptions): Promise<GatewayRow[]> {
    return this.#database.read<GatewayRow>(selectAll, [], options)
  }

  async add(
    {
      id,
      process,
      startedAtMs,
      beatTicks,
      json,
    }: Omit<GatewayRow, 'beat' | 'endedAtMs' | 'question' | 'answer'>,
    options?: CallOptions,
  ): Promise<void> {
    const insert = { sql: insertOne, params: [id, process, startedAtMs, beatTicks, json] }
    await this.#database.write([bumpRevision('gateways'), insert], options)
  }

  /** False if another gateway has marked it as ended. */
  async beat(id: string, beatTicks: number, options?: CallOptions): Promise<boolean> {
    const beat = { sql: setBeat, params: [beatTicks, id] }
    const [result] = await this.#database.write([beat], options)
    return result?.changes === 1
  }

  async setFacts(id: string, json: string, options?: CallOptions): Promise<void> {
    const set = { sql: setFacts, params: [json, id] }
    await this.#database.write([bumpRevision('gateways'), set], options)
  }

  async ask(id: string, question: string): Promise<void> {
    await this.#database.write([{ sql: setQuestion, params: [question, id] }])
  }

  async answer(id: string, answer: string): Promise<void> {
    await this.#database.write([{ sql: setAnswer, params: [answer, id] }])
  }

  /** Ends a gateway whose heartbeats stopped. False if there was another heartbeat after `beat`. */
  end(id: string, beat: number, endedAtMs: number, options?: CallOptions): Promise<boolean> {
    const end = { sql: setEnded, params: [endedAtMs, id, beat] }
    return writeAll(this.#database, [bumpRevision('gateways'), end], [], options)
  }

  /** Ends this gateway, which is stopping. */
  endOwn(id: string, endedAtMs: number): Promise<boolean> {
    const end = { sql: setOwnEnd, params: [endedAtMs, id] }
    return writeAll(this.#database, [bumpRevision('gateways'), end])
  }

  /** Removes a gateway that failed to start. */
  async remove(id: string): Promise<void> {
    await this.#database.write([bumpRevision('gateways'), { sql: deleteOne, params: [id] }])
  }

  async removeEnded(ids: readonly string[], options?: CallOptions): Promise<void> {
    const removals = ids.map((id) => ({ sql: deleteEnded, params: [id] }))
    await this.#database.write(removals, options)
  }
}

/** Longer than files of a process on another host are kept (drives/local/leftovers.ts). */
const endedKeptMs = 48 * 3_600_000
/** By then, a new gateway has opened its drives and swept the files of dead processes of its host. */
const sweptAfterMs = 3_600_000

/** Pure: the rows of ended gateways that no process needs any longer. */
export function outdatedRows(rows: readonly GatewayRow[], nowMs: number): readonly GatewayRow[] {
  const byHost = Map.groupBy(
    rows.filter(({ endedAtMs }) => endedAtMs === 0),
    ({ process }) => startOf(process)?.host,
  )
  return rows.filter((row) => {
    if (row.endedAtMs === 0) return false
    if (row.endedAtMs <= nowMs - endedKeptMs) return true
    const host = startOf(row.process)?.host
    const running = host === undefined ? [] : (byHost.get(host) ?? [])
    return running.some((other) => coversLife(other, row) || hasSwept(other, row, nowMs))
  })
}

/** Whether the processes of `ended` also started during the life of `other`: then the row of `other` is enough. */
function coversLife(other: GatewayRow, ended: GatewayRow): boolean {
  const [from, since] = [startOf(other.process)?.ticks, startOf(ended.process)?.ticks]
  return from !== undefined && since !== undefined && from < since
}

/** Whether `other` has swept the files of `ended`: it started later, on the same host, and opened its drives. */
function hasSwept(other: GatewayRow, ended: GatewayRow, nowMs: number): boolean {
  return other.startedAtMs >= ended.endedAtMs && other.startedAtMs <= nowMs - sweptAfterMs
}
