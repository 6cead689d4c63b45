import { type Database, type Statement, UnmetChange } from '../../platform/state/database.ts'
import { bumpRevision } from '../../platform/state/revision-table.ts'

/** A key for clients that call models. Times are milliseconds since the epoch. */
export interface ModelKeyRow {
  readonly keyId: string
  /** SHA-256 of the secret, base64url. The secret has 256 random bits, so its hash needs no salt. */
  readonly secretHash: string
  /** Name, models and limits. Opaque to the table. */
  readonly json: string
  readonly createdAtMs: number
  /** 0: never. */
  readonly expiresAtMs: number
}

const selectAll = `SELECT key_id AS "keyId", secret_hash AS "secretHash", json,
  created_at_ms AS "createdAtMs", expires_at_ms AS "expiresAtMs"
  FROM model_keys ORDER BY created_at_ms, key_id`

/** Model keys in the database. Each change increments the revision, so that every process loads it. */
export class ModelKeyTable {
  readonly #database: Pick<Database, 'read' | 'write'>

  constructor(database: Pick<Database, 'read' | 'write'>) {
    this.#database = database
  }

  /** Oldest first. */
  all(): Promise<ModelKeyRow[]> {
    return this.#database.read(selectAll)
  }

  /** @returns false if the limit of keys is reached, or the id exists */
  add(row: ModelKeyRow, maxKeys: number): Promise<boolean> {
    const { keyId, secretHash, json, createdAtMs, expiresAtMs } = row
    return this.#change({
      sql: `INSERT INTO model_keys (key_id, secret_hash, json, created_at_ms, expires_at_ms)
        SELECT ?, ?, ?, CAST(? AS BIGINT), CAST(? AS BIGINT)
        WHERE (SELECT COUNT(*) FROM model_keys) < ? ON CONFLICT (key_id) DO NOTHING`,
      params: [keyId, secretHash, json, createdAtMs, expiresAtMs, maxKeys],
    })
  }

  /** @returns false if the row differs from `seen` */
  change(
    seen: ModelKeyRow,
    { json, expiresAtMs }: Pick<ModelKeyRow, 'json' | 'expiresAtMs'>,
  ): Promise<boolean> {
    return this.#change({
      sql: `UPDATE model_keys SET json = ?, expires_at_ms = ?
        WHERE key_id = ? AND json = ? AND expires_at_ms = ?`,
      params: [json, expiresAtMs, seen.keyId, seen.json, seen.expiresAtMs],
    })
  }

  /** @returns false if there is no such key */
  remove(keyId: string): Promise<boolean> {
    return this.#change({ sql: 'DELETE FROM model_keys WHERE key_id = ?', params: [keyId] })
  }

  async #change(statement: Statement): Promise<boolean> {
    try {
      await this.#database.write([bumpRevision('model-keys'), { ...statement, mustChange: 1 }])
      return true
    } catch (error) {
      if (error instanceof UnmetChange) return false
      throw error
    }
  }
}
