import type { Database, Statement } from '../database.ts'
import {
  type Counter,
  familyOf,
  type IncrementOptions,
  KeyValueError,
  type KeyValueStore,
  type SetOptions,
} from './key-value.ts'

const selectValue = 'SELECT value FROM auth_kv WHERE key = ? AND expires_at_ms > ?'

const setValue = `INSERT INTO auth_kv (key, family, value, amount, expires_at_ms)
  VALUES (?, ?, ?, 0, ?)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, amount = 0,
    expires_at_ms = excluded.expires_at_ms`

/** Never removes the entry that was just set, even if other entries expire in the same millisecond. */
const trimFamily = `DELETE FROM auth_kv WHERE key IN (
  SELECT key FROM auth_kv WHERE family = ? AND key <> ?
  ORDER BY expires_at_ms DESC LIMIT ? OFFSET ?)`

const deleteKey = 'DELETE FROM auth_kv WHERE key = ?'

/** An expired counter restarts in its row if it has not been swept yet. */
const incrementAmount = `INSERT INTO auth_kv (key, family, value, amount, expires_at_ms)
  VALUES (?, ?, '', 1, ?)
  ON CONFLICT (key) DO UPDATE SET
    amount = CASE WHEN auth_kv.expires_at_ms <= ? THEN 1 ELSE auth_kv.amount + 1 END,
    expires_at_ms = CASE WHEN auth_kv.expires_at_ms <= ? OR auth_kv.amount < ?
      THEN excluded.expires_at_ms ELSE auth_kv.expires_at_ms END
  RETURNING amount, expires_at_ms AS "expiresAtMs"`

const selectExpired = 'SELECT key FROM auth_kv WHERE expires_at_ms <= ? LIMIT 1'
const deleteExpired = 'DELETE FROM auth_kv WHERE expires_at_ms <= ?'

/** Maximum rows that one trim removes; normally, a family exceeds its limit by one. */
const maxTrimmed = 10_000

/** AUTH_KV in the gateway's database. Closing it leaves the database open. */
export class DatabaseKeyValueStore implements KeyValueStore {
  readonly #database: Database
  readonly #now: () => number

  /** @param now Milliseconds since the epoch. */
  constructor(database: Database, now: () => number) {
    this.#database = database
    this.#now = now
  }

  async get(key: string): Promise<string | undefined> {
    const rows = await attempt(
      this.#database.read<{ readonly value: string }>(selectValue, [key, this.#now()]),
    )
    return rows[0]?.value
  }

  async set(key: string, value: string, { ttlMs, maxFamily }: SetOptions): Promise<void> {
    const family = familyOf(key)
    await this.#write([
      { sql: setValue, params: [key, family, value, this.#now() + ttlMs] },
      { sql: trimFamily, params: [family, key, maxTrimmed, maxFamily - 1] },
    ])
  }

  async delete(key: string): Promise<void> {
    await this.#write([{ sql: deleteKey, params: [key] }])
  }

  async increment(key: string, { ttlMs, renewUpTo }: IncrementOptions): Promise<Counter> {
    const now = this.#now()
    const params = [key, familyOf(key), now + ttlMs, now, now, renewUpTo]
    const [result] = await this.#write([{ sql: incrementAmount, params }])
    const [row] = result?.rows ?? []
    return {
      count: Number(row?.amount),
      ttlMs: Math.max(1, Number(row?.expiresAtMs) - now),
    }
  }

  async sweep(): Promise<void> {
    const params = [this.#now()]
    // Avoids the first write of a process that writes nothing else, because it would start a thread with SQLite.
    const expired = await attempt(this.#database.read(selectExpired, params))
    if (expired.length > 0) await this.#write([{ sql: deleteExpired, params }])
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  #write(statements: readonly Statement[]) {
    return attempt(this.#database.write(statements))
  }
}

async function attempt<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer
  } catch (cause) {
    throw new KeyValueError('the database that stores the sessions is not responding', { cause })
  }
}
