/** When a fault strikes: the next request that fits, or a later one. */
export interface FaultRule<Fault> {
  /** Any, when absent. */
  readonly method?: string
  /** Tried on the path as it was sent, escapes and all. Any, when absent. */
  readonly path?: RegExp
  /** Requests that fit and are let through before. */
  readonly skip?: number
  /** Requests that it strikes; one, when absent. */
  readonly times?: number
  readonly fault: Fault
}

export interface StruckRequest<Fault> {
  readonly method: string
  readonly path: string
  readonly fault: Fault
}

/** The faults that a test has ordered, each for a request to come. */
export class FaultScript<Fault> {
  readonly #rules: { rule: FaultRule<Fault>; skip: number; times: number }[] = []
  readonly #struck: StruckRequest<Fault>[] = []

  add(rule: FaultRule<Fault>): void {
    this.#rules.push({ rule, skip: rule.skip ?? 0, times: rule.times ?? 1 })
  }

  /** Forgets what has not struck yet. */
  clear(): void {
    this.#rules.length = 0
  }

  /** Requests that a fault has struck, in order. */
  get struck(): readonly StruckRequest<Fault>[] {
    return this.#struck
  }

  /** Faults that have not struck as often as they were to. */
  get waiting(): number {
    return this.#rules.length
  }

  /** The fault of this request, which counts as struck by it. */
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
