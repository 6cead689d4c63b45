import {
  type Database,
  type Statement,
  UnmetChange,
  type WriteResult,
} from '../../../platform/state/database.ts'

/** A part of an upload in any order. */
export interface PlacedPartRow {
  readonly number: number
  /** Hex MD5, no quotes. */
  readonly etag: string
  readonly size: number
  /** Where the drive has its bytes. Opaque here. */
  readonly place: string
}

interface NewPartRow extends PlacedPartRow {
  readonly modifiedAtMs: number
  /** As in PartRow. */
  readonly checksum: string
}

/** A request that writes a part. */
export interface PartWriterName {
  readonly uploadId: string
  readonly number: number
  /** Names its process, as the owner of a lease does. */
  readonly writer: string
}

/** The result of a claim. */
export type Claim =
  /** The slot belongs to this writer, and never belonged to another. */
  | { readonly kind: 'slot'; readonly offset: number }
  /** The part does not fit, or the slot was claimed before. */
  | { readonly kind: 'none' }
  | { readonly kind: 'not open' }

/** The first statement of a claim changes the upload's row, so that the claim and a Complete wait for each other. */
const setSlotSize = `UPDATE uploads SET slot_size = CASE WHEN slot_size = 0 THEN ? ELSE slot_size END
  WHERE id = ? AND phase = 'open' RETURNING slot_size AS "slotSize"`

const claimSlot = `INSERT INTO upload_slots (upload_id, number, writer)
  SELECT CAST(? AS TEXT), CAST(? AS INTEGER), CAST(? AS TEXT) FROM uploads
  WHERE id = ? AND slot_size >= ?
  ON CONFLICT (upload_id, number) DO NOTHING`

const endClaim = `UPDATE upload_slots SET writer = '', bytes = ?
  WHERE upload_id = ? AND number = ? AND writer = ?`

const selectWriters = `SELECT writer FROM upload_slots WHERE upload_id = ? AND writer <> ''`

/** `touched_at_ms` increases even if the clock stands still, because a Complete detects each commit by it. */
const countPart = `UPDATE uploads SET
  touched_at_ms = CASE WHEN touched_at_ms >= ? THEN touched_at_ms + 1 ELSE ? END,
  size = size + ? - COALESCE(
    (SELECT old.size FROM upload_parts old WHERE old.upload_id = uploads.id AND old.number = ?), 0),
  part_count = part_count + 1 - (
    SELECT count(*) FROM upload_parts old WHERE old.upload_id = uploads.id AND old.number = ?)
  WHERE id = ? AND phase = 'open'`

const deletePart = 'DELETE FROM upload_parts WHERE upload_id = ? AND number = ? RETURNING place'

const insertPart = `INSERT INTO upload_parts (upload_id, number, etag, size, modified_at_ms, checksum, place)
  VALUES (?, ?, ?, ?, ?, ?, ?)`

const selectPlaces = `SELECT number, etag, size, place FROM upload_parts
  WHERE upload_id = ? ORDER BY number`

/**
 * The parts of uploads in any order, and their slots. The slot of part n begins at byte (n - 1) × `slot_size` of the
 * upload's common file; the first part that claims one sets the size. A slot is claimed at most once, even if its
 * writer fails, so that two requests never write the same bytes. `writer` is '' when the request has ended, and
 * `bytes` is then the number of bytes that it has written.
 */
export class PlacedPartTable {
  readonly #database: Database
  /** The last write of this process to each upload. */
  readonly #writes = new Map<string, Promise<unknown>>()

  constructor(database: Database) {
    this.#database = database
  }

  /** @param size bytes of the part, at least one */
  async claim(name: PartWriterName, size: number): Promise<Claim> {
    const { uploadId, number, writer } = name
    try {
      const [upload, slot] = await this.#write(uploadId, [
        { sql: setSlotSize, params: [size, uploadId], mustChange: 1 },
        { sql: claimSlot, params: [uploadId, number, writer, uploadId, size] },
      ])
      if (slot?.changes !== 1) return { kind: 'none' }
      return { kind: 'slot', offset: (number - 1) * Number(upload?.rows[0]?.slotSize) }
    } catch (error) {
      if (error instanceof UnmetChange) return { kind: 'not open' }
      throw error
    }
  }

  /**
   * Ends a claim whose writer is certain to write nothing more. @param bytes the number of bytes that the writer has
   * written
   */
  async endClaim({ uploadId, number, writer }: PartWriterName, bytes: number): Promise<void> {
    await this.#database.write([{ sql: endClaim, params: [bytes, uploadId, number, writer] }])
  }

  /** Returns the writers whose claims have not ended: they are still writing, or have died. */
  async writers(uploadId: string): Promise<string[]> {
    const rows = await this.#database.read<{ readonly writer: string }>(selectWriters, [uploadId])
    return rows.map(({ writer }) => writer)
  }

  /**
   * Adds the part, or replaces the part of this number, and ends the writer's claim. Returns the places of the
   * replaced part; undefined if the upload is not open.
   */
  async commit(
    { uploadId, number, writer }: PartWriterName,
    part: NewPartRow,
  ): Promise<string[] | undefined> {
    const { etag, size, modifiedAtMs, checksum, place } = part
    const counted = [modifiedAtMs, modifiedAtMs, size, number, number, uploadId]
    const inserted = [uploadId, number, etag, size, modifiedAtMs, checksum, place]
    try {
      const [, deleted] = await this.#write(uploadId, [
        { sql: countPart, params: counted, mustChange: 1 },
        { sql: deletePart, params: [uploadId, number] },
        { sql: insertPart, params: inserted },
        { sql: endClaim, params: [size, uploadId, number, writer] },
      ])
      return (deleted?.rows ?? []).map((row) => String(row.place))
    } catch (error) {
      if (error instanceof UnmetChange) return undefined
      throw error
    }
  }

  /**
   * With PostgreSQL, concurrent writes to one upload conflict and are repeated, so a process sends them one at a time.
   * SQLite serializes writes itself and commits several together.
   */
  async #write(uploadId: string, statements: readonly Statement[]): Promise<WriteResult[]> {
    if (this.#database.kind === 'sqlite') return await this.#database.write(statements)
    const before = this.#writes.get(uploadId)
    const write = (async () => {
      await before?.catch(() => undefined)
      return await this.#database.write(statements)
    })()
    this.#writes.set(uploadId, write)
    try {
      return await write
    } finally {
      if (this.#writes.get(uploadId) === write) this.#writes.delete(uploadId)
    }
  }

  /** All parts, in order. */
  parts(uploadId: string): Promise<PlacedPartRow[]> {
    return this.#database.read<PlacedPartRow>(selectPlaces, [uploadId])
  }
}
