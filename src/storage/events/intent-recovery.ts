import { setTimeout as sleep } from 'node:timers/promises'
import { type BackOff, backOffMs } from '../../platform/process/back-off.ts'
import type { Log } from '../../platform/process/log.ts'
import { withinTime } from '../../platform/process/time-limit.ts'
import type { TargetName } from '../buckets/notification-rules.ts'
import type { KeyLease, KeyLeases } from '../drives/kit/key-leases.ts'
import { type TraceParts, traceOf } from './change-trace.ts'
import { changeOf, type EventMessage, withObject } from './event-message.ts'
import type { EventRow, EventTable } from './event-table.ts'

const pollMs = 1_000
const backOff: BackOff = { firstMs: 1_000, longestMs: 60_000 }
/** The maximum intents in memory. */
const batchRows = 64
/** The time limit of the drive. A slower one is asked again later. */
const lookMs = 10_000
/**
 * If the drive does not show the change of an intent within this time, the change has not happened. A slower change of a
 * running process is still confirmed. The time is short because an unavailable drive causes many intents, which count as
 * waiting events.
 */
const keptMs = 10 * 60_000

export interface RecoveryParts extends TraceParts {
  readonly table: Pick<EventTable, 'due' | 'settle' | 'confirm' | 'cancel'>
  /** One process looks at the intents of a target at a time. */
  readonly leases: Pick<KeyLeases, 'holdIfFree'>
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  readonly log: Pick<Log, 'error'>
  readonly random: () => number
  /** Called after an intent has become an event. */
  readonly onEvent: () => void
}

/**
 * Finds out whether changes have happened that their processes did not confirm. Separate from the sender, so that an
 * unavailable drive does not delay the events of others.
 */
export class IntentRecovery {
  readonly #target: TargetName
  readonly #parts: RecoveryParts
  readonly #closing = new AbortController()
  readonly #running: Promise<void>

  constructor(target: TargetName, parts: RecoveryParts) {
    this.#target = target
    this.#parts = parts
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { leases, log } = this.#parts
    const { signal } = this.#closing
    const target = this.#target
    while (!signal.aborted) {
      try {
        const rows = await this.#due()
        const look = (lease: KeyLease) => this.#lookAtAll(lease)
        if (rows.length > 0) await leases.holdIfFree([`/${target}/intents`], look)
      } catch (err) {
        log.error({ err, target }, 'could not read or store events')
      }
      await sleep(pollMs, undefined, { signal }).catch(() => undefined)
    }
  }

  #due(): Promise<EventRow[]> {
    const { table, now } = this.#parts
    return table.due(this.#target, { isConfirmed: false, nowMs: now(), limit: batchRows })
  }

  async #lookAtAll(lease: KeyLease): Promise<void> {
    for (const row of await this.#due()) {
      if (!lease.isHeld || this.#closing.signal.aborted) return
      await this.#look(row)
    }
  }

  async #look(row: EventRow): Promise<void> {
    const { table, now, random, onEvent } = this.#parts
    const message = JSON.parse(row.message) as EventMessage
    const attempts = row.attempts + 1
    const later = { ...row, attempts, dueAtMs: now() + backOffMs(attempts, backOff, random) }
    const looking = withinTime(traceOf(this.#parts, changeOf(message), row.madeAtMs), lookMs)
    const trace = await looking.catch(() => 'unknown' as const)
    if (trace === 'unknown') return await table.settle(row.target, [], [later])
    if (trace !== undefined) {
      const confirmed = {
        ...row,
        message: JSON.stringify(withObject(message, trace)),
        attempts: 0,
        dueAtMs: now(),
      }
      await table.confirm([confirmed])
      return onEvent()
    }
    const isOver = row.madeAtMs < now() - keptMs
    // An intent that was confirmed in the meantime stays.
    if (isOver) await table.cancel([row])
    else await table.settle(row.target, [], [later])
  }
}
