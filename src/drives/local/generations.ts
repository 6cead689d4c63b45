/**
 * A bounded memory of what was used lately: two generations in place of an order of use, which would
 * have to be kept at every look. When the recent one is full, the older one is forgotten.
 */
export class Generations<Value> {
  readonly #capacity: number
  #recent = new Map<string, Value>()
  #older = new Map<string, Value>()

  /** @param capacity entries of one generation. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get(key: string): Value | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const older = this.#older.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: string, value: Value): void {
    if (this.#recent.size >= this.#capacity) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
  }

  delete(key: string): void {
    this.#recent.delete(key)
    this.#older.delete(key)
  }
}
