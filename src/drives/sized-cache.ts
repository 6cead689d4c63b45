/** After a drop. A Map takes long to find its first entry while each call deletes only one. */
const keptShare = 0.9

/**
 * A cache with a limited total size. When it is full, it drops the least recently used tenth. It
 * always keeps the value added last, even if that alone exceeds the limit.
 */
export class SizedCache<Value> {
  /** A Map iterates in order of insertion. */
  readonly #entries = new Map<string, { readonly value: Value; readonly size: number }>()
  readonly #limit: number
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** As `get`, but does not count as a use. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** @param size default 1: the limit is then a number of values */
  set(key: string, value: Value, size = 1): void {
    this.delete(key)
    this.#entries.set(key, { value, size })
    this.#size += size
    if (this.#size <= this.#limit) return
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#limit * keptShare || oldest === key) return
      this.delete(oldest)
    }
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
