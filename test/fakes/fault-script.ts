/** The request for a fault: the next one that matches, or a later one. */
export interface FaultRule<Fault> {
  /** Any if absent. */
  readonly method?: string
  /** Matched with the path as it was sent, with escapes. Any if absent. */
  readonly path?: RegExp
  /** The number of matching requests that pass before. */
  readonly skip?: number
  /** The number of requests that it affects; one if absent. */
  readonly times?: number
  readonly fault: Fault
}

export interface StruckRequest<Fault> {
  readonly method: string
  readonly path: string
  readonly fault: Fault
}

/** The faults that a test has requested, each for a later request. */
export class FaultScript<Fault> {
  readonly #rules: { rule: FaultRule<Fault>; skip: number; times: number }[] = []
  readonly #struck: StruckRequest<Fault>[] = []

  add(rule: FaultRule<Fault>): void {
    this.#rules.push({ rule, skip: rule.skip ?? 0, times: rule.times ?? 1 })
  }

  /** Removes the remaining faults. */
  clear(): void {
    this.#rules.length = 0
  }

  /** The requests that a fault affected, in order. */
  get struck(): readonly StruckRequest<Fault>[] {
    return this.#struck
  }

  /** Faults that have not affected all their requests yet. */
  get waiting(): number {
    return this.#rules.length
  }

  /** The fault for this request, which counts as affected. */
  take(method: string, path: string): Fault | undefined {
    for (const [index, entry] of this.#rules.entries()) {
      if (!fits(entry.rule, method, path)) continue
      if (entry.skip > 0) {
        entry.skip--
        continue
      }
      entry.times--
      if (entry.times === 0) this.#rules.splice(index, 1)
      this.#struck.push({ method, path, fault: entry.rule.fault })
      return entry.rule.fault
    }
    return undefined
  }
}

function fits<Fault>(rule: FaultRule<Fault>, method: string, path: string): boolean {
  return (rule.method ?? method) === method && (rule.path?.test(path) ?? true)
}
