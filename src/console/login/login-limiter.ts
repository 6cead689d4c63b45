import { RateLimiterRes } from 'rate-limiter-flexible'
import RateLimiterStoreAbstract from 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js'
import type { Counter, KeyValueStore } from '../../state/key-value/key-value.ts'
import { addressBlock } from './address-block.ts'

/** Per client address and within these minutes (docs/contract/login.md, "Failed logins"). */
const maxFailures = 5
const windowSeconds = 15 * 60

/**
 * Counts failed logins in AUTH_KV, for all processes together. An attempt is counted before its
 * password is checked, so that concurrent attempts are limited like sequential ones.
 *
 * Each counted failure restarts the 15 minutes, so that no 15-minute window contains more than five
 * attempts. Rejected attempts do not extend the window.
 */
export class LoginLimiter {
  readonly #limiter: StoreLimiter
  readonly #lastTries = new Map<string, Promise<unknown>>()

  constructor(store: KeyValueStore) {
    this.#limiter = new StoreLimiter(store)
  }

  /**
   * Runs the logins of a client one by one. Otherwise concurrent logins with the right password
   * would block each other, because each is counted until it has succeeded.
   */
  async inTurn<Result>(address: string, login: () => Promise<Result>): Promise<Result> {
    const client = addressBlock(address)
    const turn = this.#lastTries.get(client)?.then(login, login) ?? login()
    this.#lastTries.set(client, turn)
    try {
      return await turn
    } finally {
      if (this.#lastTries.get(client) === turn) this.#lastTries.delete(client)
    }
  }

  /**
   * Counts an attempt of this client. Resolves with 0 if it is allowed, otherwise with the seconds
   * until the next attempt is allowed.
   *
   * @throws KeyValueError
   */
  async take(address: string): Promise<number> {
    try {
      await this.#limiter.consume(addressBlock(address))
      return 0
    } catch (refusal) {
      // The library reports too many attempts this way.
      if (!(refusal instanceof RateLimiterRes)) throw refusal
      return Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000))
    }
  }

  /**
   * Forgets the failures of this client.
   *
   * @throws KeyValueError
   */
  async clear(address: string): Promise<void> {
    await this.#limiter.delete(addressBlock(address))
  }
}

/**
 * The library's limiter on our KeyValueStore. Subclasses implement these methods, although the
 * types do not declare them; only those behind `consume` and `delete` are implemented.
 */
class StoreLimiter extends RateLimiterStoreAbstract {
  readonly #store: KeyValueStore

  constructor(store: KeyValueStore) {
    super({
      storeClient: store,
      keyPrefix: 'login-failures',
      points: maxFailures,
      duration: windowSeconds,
    })
    this.#store = store
  }

  _upsert(key: string, _points: number, ttlMs: number): Promise<Counter> {
    return this.#store.increment(key, { ttlMs, renewUpTo: maxFailures })
  }

  async _delete(key: string): Promise<boolean> {
    await this.#store.delete(key)
    return true
  }

  _getRateLimiterRes(_key: string, _points: number, { count, ttlMs }: Counter): RateLimiterRes {
    return new RateLimiterRes(Math.max(0, maxFailures - count), ttlMs, count, count === 1)
  }
}
