import ipaddr from 'ipaddr.js'
import type { KeyValueStore } from './key-value.ts'

/** The limit per client address within the window below (docs/contract/login.md, "Failed logins"). */
const maxFailures = 5
const windowMs = 15 * 60_000

/**
 * Counts failed attempts to guess a secret in AUTH_KV, for all processes together. An attempt is counted before its
 * secret is checked, so that concurrent attempts are limited like sequential ones.
 *
 * Each counted failure restarts the 15 minutes, so that no 15-minute window contains more than five
 * attempts. Rejected attempts do not extend the window.
 */
export class AttemptLimiter {
  readonly #store: KeyValueStore
  readonly #family: string
  readonly #lastTries = new Map<string, Promise<unknown>>()

  /** @param family the family of its keys in the store: each kind of secret has its own limit. */
  constructor(store: KeyValueStore, family: string) {
    this.#store = store
    this.#family = family
  }

  /**
   * Runs the attempts of a client one by one. Otherwise, concurrent attempts with the right secret
   * would block each other, because each attempt counts as failed until it succeeds.
   */
  async inTurn<Result>(address: string, attempt: () => Promise<Result>): Promise<Result> {
    const client = addressBlock(address)
    const turn = this.#lastTries.get(client)?.then(attempt, attempt) ?? attempt()
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
    const { count, ttlMs } = await this.#store.increment(this.#keyOf(address), {
      ttlMs: windowMs,
      renewUpTo: maxFailures,
    })
    return count <= maxFailures ? 0 : Math.ceil(ttlMs / 1_000)
  }

  /**
   * Removes the failures of this client.
   *
   * @throws KeyValueError
   */
  async clear(address: string): Promise<void> {
    await this.#store.delete(this.#keyOf(address))
  }

  #keyOf(address: string): string {
    return `${this.#family}:${addressBlock(address)}`
  }
}

const blockBits = 64

/**
 * The unit for counting failed logins: an IPv4 address, or the first 64 bits of an IPv6 address.
 * A customer has at least a /64 (RFC 6177 section 2) and could otherwise use a new address for each
 * attempt.
 */
export function addressBlock(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  // `process` turns ::ffff:192.0.2.1 into 192.0.2.1, so that both forms count as one client.
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const bytes = parsed.toByteArray().slice(0, blockBits / 8)
  return `${Buffer.from(bytes).toString('hex')}/${blockBits}`
}
