import type { Database, Statement } from '../../../../platform/state/database.ts'

/** Each digest is 16 bytes in base64url. */
const digestLength = 22
const blockBytes = 256 * 1024

const upsert = `INSERT INTO drive_uploads (id, file_ids, json, touched_at_ms, drive)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET file_ids = excluded.file_ids, json = excluded.json,
  touched_at_ms = excluded.touched_at_ms`
const touch = 'UPDATE drive_uploads SET touched_at_ms = ? WHERE id = ?'
const saveCarry = `INSERT INTO drive_upload_carries (upload_id, size, bytes) VALUES (?, ?, ?)
  ON CONFLICT (upload_id, size) DO UPDATE SET bytes = excluded.bytes`
const insertBlocks = `INSERT INTO drive_upload_blocks (upload_id, first_block, digests)
  VALUES (?, ?, ?)`
const selectBlocks = `SELECT first_block AS "firstBlock", digests FROM drive_upload_blocks
  WHERE upload_id = ? ORDER BY first_block`
const deleteBlocks = 'DELETE FROM drive_upload_blocks WHERE upload_id = ? AND first_block = ?'
const countCarries = `SELECT count(*) AS count FROM drive_upload_carries
  WHERE upload_id = ? AND size < ?`
const deleteCarries = 'DELETE FROM drive_upload_carries WHERE upload_id = ? AND size < ?'

/** Rows that are no longer needed are deleted in batches of this size, because each deletion waits for the disk. */
const manyBlockRows = 64
const manyCarries = 8

interface BlocksRow {
  readonly firstBlock: number
  readonly digests: string
}

/**
 * A drive's own records of uploads in the database, in addition to the state that its caller stores, with carries and
 * blocks for Google Drive. Any method may reject with the database's own error.
 */
export class DatabaseDriveUploads {
  readonly #database: Database
  readonly #now: () => number
  readonly #drive: string

  /**
   * @param now milliseconds since the epoch.
   * @param drive the drive's name; '' for the default drive
   */
  constructor(database: Database, now: () => number = Date.now, drive = '') {
    this.#database = database
    this.#now = now
    this.#drive = drive
  }

  async find(uploadId: string): Promise<string | undefined> {
    const select = 'SELECT json FROM drive_uploads WHERE id = ?'
    const [row] = await this.#database.read<{ json: string }>(select, [uploadId])
    return row?.json
  }

  /**
   * Creates or replaces the record, and stores the time.
   * @param record `fileIds` are the files on Google Drive that its sessions end in
   */
  async save(
    uploadId: string,
    { json, fileIds = [] }: { readonly json: string; readonly fileIds?: readonly string[] },
  ): Promise<void> {
    const params = [uploadId, fileIds.join(' '), json, this.#now(), this.#drive]
    await this.#database.write([{ sql: upsert, params }])
  }

  /** Also deletes carries and blocks. */
  async remove(uploadId: string): Promise<void> {
    const params = [uploadId]
    await this.#database.write([
      { sql: 'DELETE FROM drive_uploads WHERE id = ?', params },
      { sql: 'DELETE FROM drive_upload_carries WHERE upload_id = ?', params },
      { sql: 'DELETE FROM drive_upload_blocks WHERE upload_id = ?', params },
    ])
  }

  /** Whether a session of an upload ends in this file. False positives are possible. */
  async isTarget(fileId: string): Promise<boolean> {
    // An underscore in an id matches any character, so another id may match.
    const select = 'SELECT id FROM drive_uploads WHERE file_ids LIKE ? LIMIT 1'
    return (await this.#database.read(select, [`%${fileId}%`])).length > 0
  }

  /** The files that sessions of uploads end in. */
  async targets(): Promise<string[]> {
    const select = `SELECT file_ids AS "fileIds" FROM drive_uploads WHERE file_ids <> '' AND drive = ?`
    const rows = await this.#database.read<{ fileIds: string }>(select, [this.#drive])
    return rows.flatMap(({ fileIds }) => fileIds.split(' '))
  }

  /** The IDs of at most `limit` records that were not saved since then, the oldest first. */
  async idle(beforeMs: number, limit: number): Promise<string[]> {
    const rows = await this.#database.read<{ id: string }>(
      `SELECT id FROM drive_uploads WHERE touched_at_ms <= ? AND drive = ?
        ORDER BY touched_at_ms LIMIT ?`,
      [beforeMs, this.#drive, limit],
    )
    return rows.map((row) => row.id)
  }

  /** The carry for this size: the committed bytes after the last whole block, in base64. */
  async carry(uploadId: string, size: number): Promise<string | undefined> {
    const select = 'SELECT bytes FROM drive_upload_carries WHERE upload_id = ? AND size = ?'
    const [row] = await this.#database.read<{ bytes: string }>(select, [uploadId, size])
    return row?.bytes
  }

  /** Saves the carry of a size. Those of other sizes stay. */
  async saveCarry(
    uploadId: string,
    { size, bytes }: { readonly size: number; readonly bytes: string },
  ): Promise<void> {
    await this.#database.write([
      { sql: saveCarry, params: [uploadId, size, bytes] },
      { sql: touch, params: [this.#now(), uploadId] },
    ])
  }

  /** Saves the digests of new blocks, from this block on. */
  async announce(uploadId: string, firstBlock: number, digests: readonly string[]): Promise<void> {
    await this.#database.write([
      { sql: insertBlocks, params: [uploadId, firstBlock, digests.join('')] },
      { sql: touch, params: [this.#now(), uploadId] },
    ])
  }

  /** The saved digests, from this block on. */
  async blocks(uploadId: string, firstBlock: number): Promise<string[]> {
    const rows = await this.#blockRows(uploadId)
    return rows.flatMap((row) => digestsOf(row).slice(Math.max(0, firstBlock - row.firstBlock)))
  }

  /** Deletes the digests, from this block on. */
  async dropBlocks(uploadId: string, firstBlock: number): Promise<void> {
    const rows = await this.#blockRows(uploadId)
    const cut = rows.filter((row) => row.firstBlock + digestsOf(row).length > firstBlock)
    await this.#database.write(
      cut.flatMap((row) => {
        const digests = digestsOf(row).slice(0, Math.max(0, firstBlock - row.firstBlock))
        return replaceRow(uploadId, row, { firstBlock: row.firstBlock, digests })
      }),
    )
  }

  /**
   * Deletes carries of smaller sizes and digests of blocks that end before this size. A few may be left to a later call.
   */
  async forgetBefore(uploadId: string, size: number): Promise<void> {
    const block = Math.floor(size / blockBytes)
    const rows = await this.#blockRows(uploadId)
    const old = rows.filter((row) => row.firstBlock < block)
    const [carries] = await this.#database.read<{ count: number }>(countCarries, [uploadId, size])
    if (old.length < manyBlockRows && Number(carries?.count) < manyCarries) return
    await this.#database.write([
      { sql: deleteCarries, params: [uploadId, size] },
      ...old.flatMap((row) => {
        const digests = digestsOf(row).slice(block - row.firstBlock)
        return replaceRow(uploadId, row, { firstBlock: block, digests })
      }),
    ])
  }

  #blockRows(uploadId: string): Promise<BlocksRow[]> {
    return this.#database.read<BlocksRow>(selectBlocks, [uploadId])
  }
}

/** What a drive needs that stores only the records. */
export type DraftRecords = Pick<DatabaseDriveUploads, 'save' | 'find' | 'remove' | 'idle'>

/** What Google Drive needs. */
export type UploadRecords = Pick<DatabaseDriveUploads, keyof DatabaseDriveUploads>

function digestsOf({ digests }: BlocksRow): string[] {
  return Array.from({ length: digests.length / digestLength }, (_, index) =>
    digests.slice(index * digestLength, (index + 1) * digestLength),
  )
}

function replaceRow(
  uploadId: string,
  before: BlocksRow,
  after: { readonly firstBlock: number; readonly digests: readonly string[] },
): Statement[] {
  const removal = { sql: deleteBlocks, params: [uploadId, before.firstBlock] }
  if (after.digests.length === 0) return [removal]
  const params = [uploadId, after.firstBlock, after.digests.join('')]
  return [removal, { sql: insertBlocks, params }]
}
