import type { Database } from '../../platform/state/database.ts'

/** Counters that are added up. */
export interface TrafficSums {
  /** Client requests: S3, share links and model calls. */
  readonly requests: number
  /** Answered with 4xx, without failures of normal operation. */
  readonly refused: number
  /** Answered with 5xx. */
  readonly failed: number
  readonly receivedBytes: number
  readonly sentBytes: number
  readonly driveCalls: number
  /** Total microseconds of these calls. */
  readonly driveUs: number
}

export interface TrafficRow extends TrafficSums {
  /** The start of the step, milliseconds since the epoch. */
  readonly fromMs: number
  /** Microseconds of the slowest drive call. */
  readonly slowestUs: number
}

const columnOf = {
  requests: 'requests',
  refused: 'refused',
  failed: 'failed',
  receivedBytes: 'received_bytes',
  sentBytes: 'sent_bytes',
  driveCalls: 'drive_calls',
  driveUs: 'drive_us',
} as const satisfies Record<keyof TrafficSums, string>

export const trafficSums = Object.keys(columnOf) as readonly (keyof TrafficSums)[]

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs

/** How long rows of each step are kept: slightly longer than the longest range that reads them. */
const keptMs = new Map([
  [minuteMs, 25 * hourMs],
  [hourMs, 31 * 24 * hourMs],
])

const columns = Object.values(columnOf)
const add = `INSERT INTO traffic (step_ms, from_ms, slowest_us, ${columns.join(', ')})
  VALUES (?, ?, ?, ${columns.map(() => '?').join(', ')})
  ON CONFLICT (step_ms, from_ms) DO UPDATE SET
  ${columns.map((one) => `${one} = traffic.${one} + excluded.${one}`).join(', ')},
  slowest_us = CASE WHEN excluded.slowest_us > traffic.slowest_us THEN excluded.slowest_us
    ELSE traffic.slowest_us END`

const sums = trafficSums.map((one) => `CAST(SUM(${columnOf[one]}) AS BIGINT) AS "${one}"`)
const select = `SELECT from_ms - from_ms % CAST(? AS BIGINT) AS "fromMs",
  MAX(slowest_us) AS "slowestUs", ${sums.join(', ')}
  FROM traffic WHERE step_ms = ? AND from_ms >= ? AND from_ms < ? GROUP BY 1 ORDER BY 1`

/** Traffic over time: a row for each minute of the last day, and for each hour of the last month. */
export class TrafficTable {
  readonly #database: Pick<Database, 'read' | 'write'>

  constructor(database: Pick<Database, 'read' | 'write'>) {
    this.#database = database
  }

  /** Adds minutes to the rows of other processes, in one transaction. */
  async add(minutes: readonly TrafficRow[]): Promise<void> {
    if (minutes.length === 0) return
    // All processes lock rows in the same order, which prevents deadlocks.
    const ordered = minutes.toSorted((a, b) => a.fromMs - b.fromMs)
    await this.#database.write(
      [minuteMs, hourMs].flatMap((stepMs) =>
        ordered.map(({ fromMs, slowestUs, ...row }) => ({
          sql: add,
          params: [
            stepMs,
            fromMs - (fromMs % stepMs),
            slowestUs,
            ...trafficSums.map((one) => row[one]),
          ],
        })),
      ),
    )
  }

  /**
   * The sums of each step between two times. Steps without traffic are absent.
   *
   * @param stepMs a multiple of a minute for the last day, of an hour for the last month
   */
  read(stepMs: number, fromMs: number, toMs: number): Promise<TrafficRow[]> {
    const storedMs = stepMs % hourMs === 0 ? hourMs : minuteMs
    return this.#database.read(select, [stepMs, storedMs, fromMs, toMs])
  }

  /** Removes rows that no range shows any more. */
  async sweep(nowMs: number): Promise<void> {
    await this.#database.write(
      Array.from(keptMs, ([stepMs, ms]) => ({
        sql: 'DELETE FROM traffic WHERE step_ms = ? AND from_ms < ?',
        params: [stepMs, nowMs - ms],
      })),
    )
  }
}
