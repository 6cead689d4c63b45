import { type CallKind, callKinds, quotaUnits } from './call-kinds.ts'

/** The calls to the emulator since the last reset. */
export class Counters {
  #calls = new Map<CallKind, number>()
  #refusals = new Map<string, number>()
  #bytesIn = 0
  #bytesOut = 0

  /** Calls by kind; kinds without calls are absent. */
  get calls(): Readonly<Partial<Record<CallKind, number>>> {
    return Object.fromEntries(this.#calls)
  }

  get total(): number {
    return this.of(callKinds)
  }

  /** Quota units that Google would have counted. */
  get units(): number {
    return callKinds.reduce((sum, kind) => sum + quotaUnits[kind] * this.of([kind]), 0)
  }

  /** Refusals not caused by faults, by kind and reason: `chunk badRequest`. */
  get refusals(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#refusals)
  }

  get bytesIn(): number {
    return this.#bytesIn
  }

  get bytesOut(): number {
    return this.#bytesOut
  }

  of(kinds: readonly CallKind[]): number {
    return kinds.reduce((sum, kind) => sum + (this.#calls.get(kind) ?? 0), 0)
  }

  reset(): void {
    this.#calls = new Map()
    this.#refusals = new Map()
    this.#bytesIn = 0
    this.#bytesOut = 0
  }

  countCall(kind: CallKind): void {
    this.#calls.set(kind, (this.#calls.get(kind) ?? 0) + 1)
  }

  countRefusal(kind: CallKind, reason: string): void {
    const name = `${kind} ${reason}`
    this.#refusals.set(name, (this.#refusals.get(name) ?? 0) + 1)
  }

  countBytes({ bytesIn = 0, bytesOut = 0 }: { bytesIn?: number; bytesOut?: number }): void {
    this.#bytesIn += bytesIn
    this.#bytesOut += bytesOut
  }
}
