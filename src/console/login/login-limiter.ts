import type { KeyValueStore } from '../../state/key-value/key-value.ts'
import { addressBlock } from './address-block.ts'

/** Per client address and within these minutes (docs/contract/login.md, "Failed logins"). */
const maxFailures = 5
const windowMs = 15 * 60_000

/**
 * Counts failed logins in AUTH_KV, for all processes together. An attempt is counted before its
 * password is checked, so that concurrent attempts are limited like sequential ones.
 *
 * Each counted failure restarts the 15 minutes, so that no 15-minute window contains more than five
 * attempts. Rejected attempts do not extend the window.
 */
export class LoginLimiter {
  readonly #store: KeyValueStore
  readonly #lastTries = new Map<string, Promise<unknown>>()

  constructor(store: KeyValueStore) {
    this.#store = store
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
    const { count, ttlMs } = await this.#store.increment(keyOf(address), {
      ttlMs: windowMs,
      renewUpTo: maxFailures,
    })
    return count <= maxFailures ? 0 : Math.ceil(ttlMs / 1_000)
  }

  /**
   * Forgets the failures of this client.
   *
   * @throws KeyValueError
   */
  async clear(address: string): Promise<void> {
    await this.#store.delete(keyOf(address))
  }
}

function keyOf(address: string): string {
  return `login-failures:${addressBlock(address)}`
}
