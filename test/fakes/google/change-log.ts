import type { EmulatorClock } from './emulator-clock.ts'
import type { FileRecord } from './file-record.ts'

export interface Change {
  readonly position: number
  readonly fileId: string
  readonly atMs: number
  /** When it appears in the feed. */
  readonly toldAtMs: number
  /** The last record, which has the file's drive. */
  readonly last: FileRecord
  readonly isRemoved: boolean
}

/** The changes feed. A file that changes again moves to the end and appears once. */
export class ChangeLog {
  /** How long later changes take to appear in the feed, milliseconds. */
  lagMs = 0
  readonly #clock: EmulatorClock
  /** Earlier positions have expired and are rejected. */
  oldest = 0
  #changes: Change[] = []
  readonly #latest = new Map<string, number>()
  // The first position is not specified, and Google's is not 1.
  #next = 1001

  constructor(clock: EmulatorClock) {
    this.#clock = clock
  }

  add(last: FileRecord, isRemoved: boolean): void {
    const position = this.#next++
    const atMs = this.#clock.nowMs()
    const toldAtMs = atMs + this.lagMs
    this.#changes.push({ position, fileId: last.id, atMs, toldAtMs, last, isRemoved })
    this.#latest.set(last.id, position)
    if (this.#changes.length > 2 * this.#latest.size + 1000) this.#compact()
  }

  /** The position after all visible changes. */
  end(): number {
    const untold = this.#changes.find((change) => !this.#isDue(change))
    return untold?.position ?? this.#next
  }

  /** The visible changes from `position` on, in order. */
  since(position: number): Change[] {
    const changes: Change[] = []
    for (let at = this.#indexOf(position); at < this.#changes.length; at++) {
      const change = this.#changes[at]
      if (change === undefined || !this.#isDue(change)) break
      if (this.#latest.get(change.fileId) === change.position) changes.push(change)
    }
    return changes
  }

  #isDue(change: Change): boolean {
    return change.toldAtMs <= this.#clock.nowMs()
  }

  #indexOf(position: number): number {
    const index = this.#changes.findIndex((change) => change.position >= position)
    return index === -1 ? this.#changes.length : index
  }

  #compact(): void {
    this.#changes = this.#changes.filter(
      ({ fileId, position }) => this.#latest.get(fileId) === position,
    )
  }
}
