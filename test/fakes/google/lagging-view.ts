import type { EmulatorClock } from './emulator-clock.ts'
import type { FileRecord } from './file-record.ts'

interface Pending {
  readonly visibleAtMs: number
  readonly id: string
  readonly record: FileRecord | undefined
}

/** What a query sees: the files as they were `lagMs` ago. */
export class LaggingView {
  /** For changes from now on. `Number.POSITIVE_INFINITY`: nothing new is seen until `settle`. */
  lagMs = 0
  readonly #clock: EmulatorClock
  readonly #records = new Map<string, FileRecord>()
  #pending: Pending[] = []

  constructor(clock: EmulatorClock) {
    this.#clock = clock
  }

  /** Tells of a changed file, or of one that is gone. */
  publish(id: string, record: FileRecord | undefined): void {
    if (this.lagMs === 0 && this.#pending.length === 0) this.#show(id, record)
    else this.#pending.push({ visibleAtMs: this.#clock.nowMs() + this.lagMs, id, record })
  }

  records(): ReadonlyMap<string, FileRecord> {
    const nowMs = this.#clock.nowMs()
    const due = this.#pending.findIndex(({ visibleAtMs }) => visibleAtMs > nowMs)
    this.#showFirst(due === -1 ? this.#pending.length : due)
    return this.#records
  }

  /** Everything that happened so far is seen from now on. */
  settle(): void {
    this.#showFirst(this.#pending.length)
  }

  #showFirst(count: number): void {
    if (count === 0) return
    for (const { id, record } of this.#pending.slice(0, count)) this.#show(id, record)
    this.#pending = this.#pending.slice(count)
  }

  #show(id: string, record: FileRecord | undefined): void {
    if (record === undefined) this.#records.delete(id)
    else this.#records.set(id, record)
  }
}
