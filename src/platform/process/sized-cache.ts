/** The share of the limit to keep in a drop. Single drops are slow: a Map then takes long to find its first entry. */
const keptShare = 0.9

interface Entry<Value> {
  readonly value: Value
  readonly size: number
  /** Whether the entry was used since it was added, or since the last drop kept it. */
  isUsed: boolean
}

/**
 * A cache with a limited total size. When it is full, it drops a tenth: the values added first, except for
 * those that were used since (the second-chance algorithm, which costs a use nothing). It always keeps the value
 * added last, even if that alone exceeds the limit.
 */
export class SizedCache<Value> {
  /** A Map iterates in order of insertion. */
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #limit: number
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Like `get`, but does not count as a use. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    entry.isUsed = true
    return entry.value
  }

  /** @param size default 1: the limit is then a number of values */
  set(key: string, value: Value, size = 1): void {
    this.delete(key)
    const added = { value, size, isUsed: false }
    this.#entries.set(key, added)
    this.#size += size
    if (this.#size <= this.#limit) return
    // The loop also reaches the entries that it moves to the end, which then count as unused.
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= this.#limit * keptShare) return
      if (entry === added) continue
      this.delete(oldest)
      if (entry.isUsed) this.#keep(oldest, entry)
    }
  }

  #keep(key: string, entry: Entry<Value>): void {
    entry.isUsed = false
    this.#entries.set(key, entry)
    this.#size += entry.size
  }

  delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#size = 0
  }
}
