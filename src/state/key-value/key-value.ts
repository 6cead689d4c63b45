/**
 * The seam to AUTH_KV, which keeps small things for a while: sessions and counts of failed logins.
 * Two implementations: the database (default), and Redis or Valkey. Every operation is atomic,
 * whatever other processes do at the same time, and rejects with KeyValueError when the store does
 * not answer; none waits for longer than a few seconds.
 *
 * A key is `family:name`, some 200 characters of ASCII at most.
 */
export interface KeyValueStore {
  /** The value, while it lives. */
  get(key: string): Promise<string | undefined>

  /** Sets or replaces. The members of the family that would expire first go when it is too large. */
  set(key: string, value: string, options: SetOptions): Promise<void>

  /** Without effect on what is not there. */
  delete(key: string): Promise<void>

  /** Adds one to a counter, which begins at zero, and says what it is then. */
  increment(key: string, options: IncrementOptions): Promise<Counter>

  /** Removes what has expired; for one process to call from time to time. */
  sweep(): Promise<void>

  close(): Promise<void>
}

export interface SetOptions {
  /** The same for all members of a family. */
  readonly ttlMs: number
  /** Members that the family of this key may have, this one included. */
  readonly maxFamily: number
}

export interface IncrementOptions {
  /** From the increment on that brought the counter to `renewUpTo` or less. */
  readonly ttlMs: number
  /** Beyond this the counter still counts, but lives no longer for it. */
  readonly renewUpTo: number
}

export interface Counter {
  readonly count: number
  /** Until it is gone, milliseconds; at least 1. */
  readonly ttlMs: number
}

/** The store does not answer, or refuses. The message is for people and never has a password. */
export class KeyValueError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'KeyValueError'
  }
}

/** What a key has before its first colon. */
export function familyOf(key: string): string {
  return key.split(':', 1)[0] ?? ''
}
