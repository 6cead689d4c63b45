import { type CallKind, quotaUnits } from './call-kinds.ts'
import type { EmulatorClock } from './emulator-clock.ts'
import { GoogleError } from './google-error.ts'

const windowMs = 60_000

/** Google's limit of quota units a minute for one user, where a test sets one. */
export class QuotaMeter {
  /** Absent: as many as are asked for. */
  unitsPerMinute: number | undefined
  readonly #clock: EmulatorClock
  #spent: { readonly atMs: number; readonly units: number }[] = []

  constructor(clock: EmulatorClock) {
    this.#clock = clock
  }

  /** @throws GoogleError 403 when the minute's units are used up. What is refused costs nothing. */
  spend(kind: CallKind): void {
    if (this.unitsPerMinute === undefined) return
    const nowMs = this.#clock.nowMs()
    this.#spent = this.#spent.filter(({ atMs }) => atMs > nowMs - windowMs)
    const sum = this.#spent.reduce((total, { units }) => total + units, 0)
    const units = quotaUnits[kind]
    if (sum + units > this.unitsPerMinute) throw new GoogleError('userRateLimitExceeded')
    if (units > 0) this.#spent.push({ atMs: nowMs, units })
  }
}
