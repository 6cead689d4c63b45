import {
  familyOf,
  type IncrementOptions,
  type KeyValueStore,
  type SetOptions,
} from '../../src/platform/state/key-value/key-value.ts'

interface Entry {
  value: string
  count: number
  expiresAtMs: number
}

/** AUTH_KV in memory, with a clock that a test sets. It passes the contract of the real stores. */
export class MemoryKeyValueStore implements KeyValueStore {
  readonly entries = new Map<string, Entry>()
  /** If set, every operation rejects with it. */
  problem: Error | undefined
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  async get(key: string): Promise<string | undefined> {
    return this.#live(key)?.value
  }

  async set(key: string, value: string, { ttlMs, maxFamily }: SetOptions): Promise<void> {
    this.#live(key)
    this.entries.delete(key)
    this.entries.set(key, { value, count: 0, expiresAtMs: this.#now() + ttlMs })
    const family = [...this.entries.keys()].filter((other) => familyOf(other) === familyOf(key))
    for (const surplus of family.slice(0, -maxFamily)) this.entries.delete(surplus)
  }

  async delete(key: string): Promise<void> {
    this.#live(key)
    this.entries.delete(key)
  }

  async increment(key: string, { ttlMs, renewUpTo }: IncrementOptions) {
    const entry = this.#live(key) ?? { value: '', count: 0, expiresAtMs: 0 }
    entry.count += 1
    if (entry.count <= renewUpTo || entry.expiresAtMs === 0) entry.expiresAtMs = this.#now() + ttlMs
    this.entries.set(key, entry)
    return { count: entry.count, ttlMs: entry.expiresAtMs - this.#now() }
  }

  async sweep(): Promise<void> {
    for (const key of this.entries.keys()) this.#live(key)
  }

  async close(): Promise<void> {
    this.entries.clear()
  }

  #live(key: string): Entry | undefined {
    if (this.problem !== undefined) throw this.problem
    const entry = this.entries.get(key)
    if (entry !== undefined && entry.expiresAtMs > this.#now()) return entry
    this.entries.delete(key)
    return undefined
  }
}
