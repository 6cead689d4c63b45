import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { KeyValueStore } from '../../platform/state/key-value/key-value.ts'

/** docs/contract/login.md, "Sessions". */
export const sessionSeconds = 12 * 60 * 60

/** Above this limit the oldest sessions end. */
const maxSessions = 1_000

/** 256 bits (docs/contract/login.md, "Sessions"). */
const tokenBytes = 32
const tokenForm = /^[A-Za-z0-9_-]{43}$/

/**
 * Dashboard sessions in AUTH_KV. Only the SHA-256 of a token is stored, with an HMAC of the
 * password keyed with the token: changing the password ends every session, and the stored data
 * reveals neither.
 */
export class Sessions {
  readonly #store: KeyValueStore
  readonly #password: () => string

  /** @param password the present one */
  constructor(store: KeyValueStore, password: () => string) {
    this.#store = store
    this.#password = password
  }

  /**
   * Starts a session and returns its token.
   *
   * @param password the one that was checked: it may no longer be the present one
   * @throws KeyValueError
   */
  async begin(password: string): Promise<string> {
    const token = randomBytes(tokenBytes).toString('base64url')
    await this.#store.set(keyOf(token), sealOf(token, password).toString('base64url'), {
      ttlMs: sessionSeconds * 1_000,
      maxFamily: maxSessions,
    })
    return token
  }

  /**
   * Ends every session.
   *
   * @throws KeyValueError
   */
  async endAll(): Promise<void> {
    const token = randomBytes(tokenBytes).toString('base64url')
    // A family of one has only the member that was set last.
    await this.#store.set(keyOf(token), '', { ttlMs: sessionSeconds * 1_000, maxFamily: 1 })
    await this.#store.delete(keyOf(token))
  }

  /**
   * Whether the token belongs to a valid session.
   *
   * @throws KeyValueError
   */
  async isValid(token: string): Promise<boolean> {
    if (!tokenForm.test(token)) return false
    const stored = await this.#store.get(keyOf(token))
    if (stored === undefined) return false
    const seal = sealOf(token, this.#password())
    const given = Buffer.from(stored, 'base64url')
    return given.length === seal.length && timingSafeEqual(given, seal)
  }

  /**
   * Ends the session, if there is one.
   *
   * @throws KeyValueError
   */
  async end(token: string): Promise<void> {
    if (tokenForm.test(token)) await this.#store.delete(keyOf(token))
  }
}

function sealOf(token: string, password: string): Buffer {
  return createHmac('sha256', token).update(password).digest()
}

/** RFC 6750 section 2.1; the scheme in either case (RFC 9110 section 11.1). */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}

function keyOf(token: string): string {
  return `session:${createHash('sha256').update(token).digest('base64url')}`
}
