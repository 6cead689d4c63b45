import type { Database, SqlValue, Statement } from '../../platform/state/database.ts'

/** How long shares are kept after they expire, are revoked or are used up. */
export const endedSharesKeptMs = 30 * 86_400_000

/** A link for people without an account. Times are milliseconds since the epoch, 0: never. */
export interface ShareRow {
  readonly shareId: string
  /** SHA-256 of the token in its address, base64url. A token has 128 random bits, so its hash needs no salt. */
  readonly tokenHash: string
  /** The token, sealed with SECRET_KEY, so that the address can be shown again. */
  readonly sealedToken: string
  /** What it is a link to: a file, a folder, or a folder to upload to. */
  readonly kind: 'file' | 'folder' | 'drop'
  readonly bucket: string
  /** The access key whose rights the share has; '': those of the owner. */
  readonly maker: string
  /** Path, title, note, password and limits per file. Opaque here. */
  readonly json: string
  readonly createdAtMs: number
  readonly expiresAtMs: number
  readonly revokedAtMs: number
  readonly lastUsedAtMs: number
  /** Downloads, or uploaded files. 0: any number. */
  readonly maxUses: number
  readonly uses: number
  /** Bytes of uploaded files. 0: any number. */
  readonly maxBytes: number
  readonly bytes: number
  /** How often its page was opened. */
  readonly views: number
}

/** The columns of a share in the order of the fields above. */
const columns = [
  ...['share_id', 'token_hash', 'sealed_token', 'kind', 'bucket', 'maker', 'json'],
  ...['created_at_ms', 'expires_at_ms', 'revoked_at_ms', 'last_used_at_ms'],
  ...['max_uses', 'uses', 'max_bytes', 'bytes', 'views'],
]
const fieldOf = (column: string) => column.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())
const select = `SELECT ${columns.map((column) => `${column} AS "${fieldOf(column)}"`).join(', ')} FROM shares`
const isNumber = (column: string) => /_ms$|uses$|bytes$|views$/.test(column)
const insert = `INSERT INTO shares (${columns.join(', ')})
  SELECT ${columns.map((column) => (isNumber(column) ? 'CAST(? AS BIGINT)' : '?')).join(', ')}
  WHERE (SELECT COUNT(*) FROM shares) < ?`

/** For the removal of a bucket: a later bucket of the same name was never shared. */
export function deleteBucketShares(bucket: string): Statement {
  return { sql: 'DELETE FROM shares WHERE bucket = ?', params: [bucket] }
}

/** Shares in the database. They are read for each visit, so that a revoked one ends at once. */
export class ShareTable {
  readonly #database: Pick<Database, 'read' | 'write'>

  constructor(database: Pick<Database, 'read' | 'write'>) {
    this.#database = database
  }

  /** Newest first. */
  all(): Promise<ShareRow[]> {
    return this.#database.read(`${select} ORDER BY created_at_ms DESC, share_id`)
  }

  find(tokenHash: string): Promise<ShareRow | undefined> {
    return this.#one('token_hash', tokenHash)
  }

  get(shareId: string): Promise<ShareRow | undefined> {
    return this.#one('share_id', shareId)
  }

  async #one(column: 'token_hash' | 'share_id', value: string): Promise<ShareRow | undefined> {
    const [row] = await this.#database.read<ShareRow>(`${select} WHERE ${column} = ?`, [value])
    return row
  }

  /** @returns false if there are already `maxShares` shares */
  add(row: ShareRow, maxShares: number): Promise<boolean> {
    const values = row as unknown as Readonly<Record<string, SqlValue>>
    return this.#change(insert, [
      ...columns.map((column) => values[fieldOf(column)] ?? null),
      maxShares,
    ])
  }

  /** @returns false if there is no such share, or it is already revoked */
  revoke(shareId: string, nowMs: number): Promise<boolean> {
    const sql = 'UPDATE shares SET revoked_at_ms = ? WHERE share_id = ? AND revoked_at_ms = 0'
    return this.#change(sql, [nowMs, shareId])
  }

  /**
   * Changes the details, the end and the limits. Uses that are counted meanwhile stay counted.
   *
   * @param before the share that the change is based on
   * @returns false if the share was revoked or edited since
   */
  edit(changed: ShareRow, before: ShareRow): Promise<boolean> {
    const edited = ({ json, expiresAtMs, maxUses, maxBytes }: ShareRow) => {
      return [json, expiresAtMs, maxUses, maxBytes]
    }
    const sql = `UPDATE shares SET json = ?, expires_at_ms = ?, max_uses = ?, max_bytes = ?
      WHERE share_id = ? AND json = ? AND expires_at_ms = ? AND max_uses = ? AND max_bytes = ?
      AND revoked_at_ms = 0`
    return this.#change(sql, [...edited(changed), changed.shareId, ...edited(before)])
  }

  async countView(shareId: string): Promise<void> {
    await this.#change('UPDATE shares SET views = views + 1 WHERE share_id = ?', [shareId])
  }

  /**
   * Counts a download, or a file that was uploaded.
   *
   * @param bytes of the upload; 0 for a download
   * @returns false if that would exceed a limit, or the share has ended
   */
  count(shareId: string, bytes: number, nowMs: number): Promise<boolean> {
    return this.#change(
      `UPDATE shares SET uses = uses + 1, bytes = bytes + ?, last_used_at_ms = ?
        WHERE share_id = ? AND revoked_at_ms = 0 AND (expires_at_ms = 0 OR expires_at_ms > ?)
        AND (max_uses = 0 OR uses < max_uses)
        AND bytes + ? <= CASE WHEN max_bytes = 0 THEN ${Number.MAX_SAFE_INTEGER} ELSE max_bytes END`,
      [bytes, nowMs, shareId, nowMs, bytes],
    )
  }

  /** Removes shares that ended before this time. */
  async sweep(beforeMs: number): Promise<void> {
    await this.#change(
      `DELETE FROM shares WHERE (expires_at_ms > 0 AND expires_at_ms < ?)
        OR (revoked_at_ms > 0 AND revoked_at_ms < ?)
        OR (last_used_at_ms < ? AND ((max_uses > 0 AND uses >= max_uses) OR (max_bytes > 0 AND bytes >= max_bytes)))`,
      [beforeMs, beforeMs, beforeMs],
    )
  }

  async #change(sql: string, params: readonly SqlValue[]): Promise<boolean> {
    const [result] = await this.#database.write([{ sql, params }])
    return (result?.changes ?? 0) > 0
  }
}
