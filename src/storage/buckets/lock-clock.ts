import type { Log } from '../../platform/process/log.ts'
import type { LockClockTable } from './lock-clock-table.ts'

const hourMs = 3_600_000

/** A process believes a clock that is this far ahead at its start. The stored time is up to an hour old. */
const believedAtStartMs = 2 * hourMs

/**
 * Otherwise the time follows a clock that is ahead at this multiple of the time that passes. A clock that is set ahead then
 * ends no retention before half of its time, and the time catches up in as long as the machine was off.
 */
const maxRate = 2

/** How far the clock advances before its time is stored again. */
const storedEveryMs = hourMs

/** A difference from the clock that is logged. */
const strangeMs = hourMs

export interface LockTime {
  /** Retentions up to this time have ended. Never goes back. */
  readonly endedMs: number
  /** From when a new retention counts: the clock's time, unless it was set back. */
  readonly startMs: number
}

export interface LockClockParts {
  readonly table: Pick<LockClockTable, 'read' | 'raise'>
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  /** Milliseconds since any moment. Setting the clock does not change it. */
  readonly monotonic?: () => number
  readonly log: Pick<Log, 'warn'>
}

/**
 * The time that ends retentions of Object Lock. AWS has a clock that its customers can't set. Here, setting the clock of the
 * machine would end every retention. So the time is stored and never goes back: a clock that was set back does not
 * begin new retentions in the past. A clock that jumps ahead is followed at double speed: the owner has time to notice the
 * warning. A person with a shell on the database or the drive needs no clock.
 */
export class LockClock {
  readonly #parts: Required<LockClockParts>
  #loading: Promise<void> | undefined
  #seen = { ms: 0, at: 0 }
  #storedMs = 0
  #wasStrange = false

  constructor(parts: LockClockParts) {
    this.#parts = { monotonic: () => performance.now(), ...parts }
  }

  /** @throws DatabaseError */
  readonly read = async (): Promise<LockTime> => {
    const { now, monotonic, table } = this.#parts
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined
      throw error
    })
    await this.#loading
    const [nowMs, at] = [now(), monotonic()]
    this.#seen = { ms: followed(this.#seen.ms, nowMs, at - this.#seen.at), at }
    this.#report(nowMs - this.#seen.ms)
    if (this.#seen.ms - this.#storedMs >= storedEveryMs) {
      this.#storedMs = await table.raise(this.#seen.ms)
      this.#raise(this.#storedMs)
    }
    const endedMs = this.#seen.ms
    return { endedMs, startMs: Math.max(nowMs, endedMs) }
  }

  async #load(): Promise<void> {
    const { now, monotonic, table } = this.#parts
    const stored = (await table.read()) ?? (await table.raise(now()))
    const nowMs = now()
    const isBelieved = nowMs > stored && nowMs - stored <= believedAtStartMs
    this.#storedMs = stored
    this.#seen = { ms: isBelieved ? nowMs : stored, at: monotonic() }
  }

  /** Calls may overlap. */
  #raise(ms: number): void {
    if (ms > this.#seen.ms) this.#seen = { ...this.#seen, ms }
  }

  #report(aheadMs: number): void {
    const isStrange = Math.abs(aheadMs) > strangeMs
    if (isStrange && !this.#wasStrange) {
      this.#parts.log.warn(
        { aheadMs },
        'the clock differs from the time that Object Lock has seen: retentions end later until the two agree. Check the clock',
      )
    }
    this.#wasStrange = isStrange
  }
}

/** Pure: the time after `passedMs`. */
function followed(seenMs: number, nowMs: number, passedMs: number): number {
  return Math.max(seenMs, Math.min(nowMs, Math.floor(seenMs + maxRate * passedMs)))
}
