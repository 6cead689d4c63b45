/**
 * The interface to AUTH_KV, which stores small values for a limited time: sessions and counts of failed
 * logins. Two implementations: the database (default), and Redis or Valkey. Every operation is atomic,
 * also across processes, and rejects with KeyValueError when the store does not respond within a few
 * seconds.
 *
 * A key is `family:name`, up to about 200 ASCII characters.
 */
export interface KeyValueStore {
  /** The value, until it expires. */
  get(key: string): Promise<string | undefined>

  /** Sets or replaces a value. If the family is too large, the members that expire first are deleted. */
  set(key: string, value: string, options: SetOptions): Promise<void>

  /** Has no effect if the key does not exist. */
  delete(key: string): Promise<void>

  /** Adds one to a counter, which starts at zero, and returns its new value. */
  increment(key: string, options: IncrementOptions): Promise<Counter>

  /** Removes expired rows. One process calls it from time to time. */
  sweep(): Promise<void>

  close(): Promise<void>
}

export interface SetOptions {
  /** The same for all members of a family. */
  readonly ttlMs: number
  /** The limit for members of the key's family, including this one. */
  readonly maxFamily: number
}

export interface IncrementOptions {
  /** Lifetime, counted from the last increment that resulted in `renewUpTo` or less. */
  readonly ttlMs: number
  /** Above this value, increments still count, but do not extend the counter's life. */
  readonly renewUpTo: number
}

export interface Counter {
  readonly count: number
  /** Milliseconds until it expires; at least 1. */
  readonly ttlMs: number
}

/** The store does not respond, or refuses a command. The message is user-facing and never contains a password. */
export class KeyValueError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'KeyValueError'
  }
}

/** The part of a key before its first colon. */
export function familyOf(key: string): string {
  return key.split(':', 1)[0] ?? ''
}
