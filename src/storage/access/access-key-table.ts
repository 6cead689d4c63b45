import {
  type Database,
  type SqlValue,
  type Statement,
  UnmetChange,
} from '../../platform/state/database.ts'
import { bumpRevision, currentRevision } from '../../platform/state/revision-table.ts'

/** Who manages a key: `created` in the dashboard, the API or the command line; `file`: ACCESS_KEYS_FILE. */
export type KeySource = 'created' | 'file'

/** An access key as stored. Times are milliseconds since the epoch. */
export interface AccessKeyRow {
  readonly accessKeyId: string
  /** Sealed. Empty if the key is revoked. */
  readonly secret: string
  /** The sealed secret before the last rotation, valid until `oldUntilMs`; or empty. */
  readonly oldSecret: string
  readonly oldUntilMs: number
  /** Name, note, grants and limits. Opaque to the table. */
  readonly json: string
  readonly source: KeySource
  /** 0 or 1. */
  readonly isDisabled: number
  readonly createdAtMs: number
  /** 0: never. */
  readonly expiresAtMs: number
  /** 0: never. */
  readonly lastUsedAtMs: number
  /** 0: not revoked. */
  readonly revokedAtMs: number
  /** Greater than that of every earlier change of any key. */
  readonly revision: number
}

/** The fields that a change may set. */
export type AccessKeyFields = Pick<
  AccessKeyRow,
  'secret' | 'oldSecret' | 'oldUntilMs' | 'json' | 'isDisabled' | 'expiresAtMs' | 'revokedAtMs'
>

/** A new key. */
type NewAccessKey = Pick<
  AccessKeyRow,
  'accessKeyId' | 'secret' | 'json' | 'source' | 'createdAtMs' | 'expiresAtMs'
>

/** The last row of a page of changes. */
export type ChangePosition = Pick<AccessKeyRow, 'revision' | 'accessKeyId'>

const columns = `access_key_id AS "accessKeyId", secret, old_secret AS "oldSecret",
  old_until_ms AS "oldUntilMs", json, source, is_disabled AS "isDisabled",
  created_at_ms AS "createdAtMs", expires_at_ms AS "expiresAtMs",
  last_used_at_ms AS "lastUsedAtMs", revoked_at_ms AS "revokedAtMs", revision`

const selectChanges = `SELECT ${columns} FROM access_keys
  WHERE revision > ? OR (revision = ? AND access_key_id > ?)
  ORDER BY revision, access_key_id LIMIT ?`

const selectAll = `SELECT ${columns} FROM access_keys WHERE revoked_at_ms = 0
  ORDER BY created_at_ms, access_key_id`

const selectFromFile = `SELECT ${columns} FROM access_keys
  WHERE source = 'file' AND revoked_at_ms = 0 ORDER BY access_key_id`

const selectOne = `SELECT ${columns} FROM access_keys WHERE access_key_id = ? AND revoked_at_ms = 0`

const insert = `INSERT INTO access_keys (access_key_id, secret, old_secret, old_until_ms, json, source,
    is_disabled, created_at_ms, expires_at_ms, last_used_at_ms, revoked_at_ms, revision)
  VALUES (?, ?, '', 0, ?, ?, 0, ?, ?, 0, 0, ${currentRevision('access-keys')})`

/** A revoked key may be created again. */
const insertOrRenew = `${insert} ON CONFLICT (access_key_id) DO UPDATE SET secret = excluded.secret,
    json = excluded.json, source = excluded.source, is_disabled = 0,
    created_at_ms = excluded.created_at_ms, expires_at_ms = excluded.expires_at_ms,
    last_used_at_ms = 0, revoked_at_ms = 0, revision = excluded.revision
  WHERE access_keys.revoked_at_ms <> 0`

/** Only if the row is still the one that the caller has read. */
const update = `UPDATE access_keys SET secret = ?, old_secret = ?, old_until_ms = ?, json = ?,
    is_disabled = ?, expires_at_ms = ?, revoked_at_ms = ?, revision = ${currentRevision('access-keys')}
  WHERE access_key_id = ? AND revision = ? AND revoked_at_ms = 0`

const markUsed =
  'UPDATE access_keys SET last_used_at_ms = ? WHERE access_key_id = ? AND last_used_at_ms < ?'

/** How long rows of revoked keys are kept. */
export const revokedKeptMs = 30 * 86_400_000

/** A change of one key. */
export type AccessKeyEdit =
  | { readonly kind: 'insert'; readonly row: NewAccessKey }
  | {
      readonly kind: 'update'
      readonly seen: AccessKeyRow
      readonly fields: Partial<AccessKeyFields>
    }

/** The access keys in the database. */
export class AccessKeyTable {
  readonly #database: Pick<Database, 'read' | 'write'>

  constructor(database: Pick<Database, 'read' | 'write'>) {
    this.#database = database
  }

  /** Rows changed after a position, revoked ones included, in the order of their changes. */
  changesAfter({ revision, accessKeyId }: ChangePosition, limit: number): Promise<AccessKeyRow[]> {
    return this.#database.read(selectChanges, [revision, revision, accessKeyId, limit])
  }

  /** All keys that are not revoked, oldest first. */
  all(): Promise<AccessKeyRow[]> {
    return this.#database.read(selectAll)
  }

  /** The keys of ACCESS_KEYS that are not revoked. */
  fromFile(): Promise<AccessKeyRow[]> {
    return this.#database.read(selectFromFile)
  }

  /** Undefined if the key does not exist or is revoked. */
  async find(accessKeyId: string): Promise<AccessKeyRow | undefined> {
    const rows = await this.#database.read<AccessKeyRow>(selectOne, [accessKeyId])
    return rows[0]
  }

  /**
   * Applies all edits in one transaction.
   *
   * @returns false if nothing was changed, because a key already exists or has changed in the meantime
   * @throws DatabaseError
   */
  async edit(edits: readonly AccessKeyEdit[]): Promise<boolean> {
    try {
      await this.#database.write([bumpRevision('access-keys'), ...edits.map(statementOf)])
      return true
    } catch (error) {
      if (error instanceof UnmetChange) return false
      throw error
    }
  }

  /** Does not increment the revision. */
  async markUsed(uses: ReadonlyMap<string, number>): Promise<void> {
    const statements = [...uses].map(([accessKeyId, atMs]) => ({
      sql: markUsed,
      params: [atMs, accessKeyId, atMs],
    }))
    if (statements.length > 0) await this.#database.write(statements)
  }

  /** Deletes keys that were revoked before this time. */
  async sweep(beforeMs: number): Promise<void> {
    const sql = 'DELETE FROM access_keys WHERE revoked_at_ms <> 0 AND revoked_at_ms < ?'
    await this.#database.write([{ sql, params: [beforeMs] }])
  }
}

function statementOf(edit: AccessKeyEdit): Statement {
  return edit.kind === 'insert'
    ? { sql: insertOrRenew, params: insertParams(edit.row), mustChange: 1 }
    : { sql: update, params: updateParams(edit.seen, edit.fields), mustChange: 1 }
}

function insertParams(row: NewAccessKey): SqlValue[] {
  return [row.accessKeyId, row.secret, row.json, row.source, row.createdAtMs, row.expiresAtMs]
}

function updateParams(seen: AccessKeyRow, fields: Partial<AccessKeyFields>): SqlValue[] {
  const row = { ...seen, ...fields }
  return [
    ...[row.secret, row.oldSecret, row.oldUntilMs, row.json, row.isDisabled, row.expiresAtMs],
    ...[row.revokedAtMs, seen.accessKeyId, seen.revision],
  ]
}
