import type { Database, Signals, SqlValue, Statement } from '../../../platform/state/database.ts'
import { isSqlText, writeAll, writeOne } from '../../../platform/state/statements.ts'
import { PlacedPartTable } from './placed-part-table.ts'
import {
  type CommittedParts,
  changeOf,
  countOpen,
  selectByKey,
  selectByState,
  selectIdle,
  selectOpen,
  selectParts,
  selectUpload,
  signalOf,
  sumOpen,
} from './upload-rows-table.ts'

/**
 * The life of an upload:
 *
 *     open ⇄ completing → completed → (row gone)
 *       ↘ aborted → (row gone)
 *
 * Its row also carries the lease: its holder may touch the upload's bytes on the drive.
 */
export type UploadPhase = 'open' | 'completing' | 'completed' | 'aborted'

export interface UploadRow {
  /** 128 random bits, base64url. */
  readonly id: string
  /** Bucket and key as JSON: text in PostgreSQL cannot contain a NUL character, but a key can. */
  readonly target: string
  /** The parameters of CreateMultipartUpload as JSON. Opaque here. */
  readonly details: string
  readonly phase: UploadPhase
  /** What the drive needs to continue. Opaque here. */
  readonly driveState: string
  /** The number of committed parts: 1 to this, or any if they come in any order. */
  readonly partCount: number
  /** Bytes of all committed parts. */
  readonly size: number
  /** See PlacedPartTable. 0 until a part has claimed a slot. */
  readonly slotSize: number
  /** JSON of the object to publish; '' while open. Opaque here. */
  readonly completion: string
  readonly createdAtMs: number
  /** The last change other than to the lease, milliseconds since the epoch. */
  readonly touchedAtMs: number
  /** '' if the lease is free. */
  readonly leaseOwner: string
  /** Milliseconds since the epoch; 0 when the lease is free. */
  readonly leaseUntilMs: number
}

export interface PartRow {
  readonly number: number
  /** Hex MD5, no quotes. */
  readonly etag: string
  readonly size: number
  readonly modifiedAtMs: number
  /** JSON of a checksum; '' if there is none. Opaque here. */
  readonly checksum: string
}

/** A lease as one process sees or requests it. */
export interface LeaseColumns {
  readonly owner: string
  readonly untilMs: number
}

/** The row as it was read before a change, which fails if another process was faster. */
type SeenRow = Pick<
  UploadRow,
  'id' | 'phase' | 'driveState' | 'partCount' | 'leaseOwner' | 'leaseUntilMs'
>

/** Last touched at `untilMs` (milliseconds since the epoch) or before, and after `after` in the order. */
interface IdleRange {
  readonly untilMs: number
  readonly after?: Pick<UploadRow, 'id' | 'touchedAtMs'>
}

/** An upload as it was when `owner` took its lease. */
interface HeldRow {
  readonly upload: UploadRow
  readonly owner: string
}

/** @param committed the change, if the signal has it */
type OnUpload = (id: string | undefined, committed?: CommittedParts) => void

const insertUpload = `INSERT INTO uploads (id, target, details, phase, drive_state, part_count, size,
  completion, created_at_ms, touched_at_ms, lease_owner, lease_until_ms, sort_key)
  VALUES (?, ?, ?, 'open', ?, 0, 0, '', ?, ?, '', 0, ?)`

const insertPart = `INSERT INTO upload_parts (upload_id, number, etag, size, modified_at_ms, checksum)
  VALUES (?, ?, ?, ?, ?, ?)`

const updatePart = `UPDATE upload_parts SET etag = ?, size = ?, modified_at_ms = ?, checksum = ?
  WHERE upload_id = ? AND number = ?`

/** A row is changed only if it is as it was read: its lease has not been renewed or taken in the meantime. */
const whereSeen = `WHERE id = ? AND phase = ? AND drive_state = ? AND part_count = ?
  AND lease_owner = ? AND lease_until_ms = ?`

const takeLease = `UPDATE uploads SET lease_owner = ?, lease_until_ms = ? ${whereSeen}`

const renewLease = `UPDATE uploads SET lease_until_ms = ?
  WHERE id = ? AND lease_owner = ? AND phase = ?`

const setDriveState = 'UPDATE uploads SET drive_state = ? WHERE id = ? AND lease_owner = ?'

const releaseLease = `UPDATE uploads SET lease_owner = '', lease_until_ms = 0
  WHERE id = ? AND lease_owner = ?`

/** The lease is checked, used and released in one statement. */
const commitParts = `UPDATE uploads SET drive_state = ?, part_count = ?, size = ?,
  touched_at_ms = ?, lease_owner = '', lease_until_ms = 0
  WHERE id = ? AND lease_owner = ? AND phase = 'open' AND part_count = ?`

const beginCompletion = `UPDATE uploads SET phase = 'completing', completion = ?,
  touched_at_ms = ?, lease_owner = ?, lease_until_ms = ? ${whereSeen} AND touched_at_ms = ?`

const finishCompletion = `UPDATE uploads SET phase = 'completed', completion = ?, touched_at_ms = ?,
  lease_owner = '', lease_until_ms = 0
  WHERE id = ? AND lease_owner = ? AND phase = 'completing'`

const reopenUpload = `UPDATE uploads SET phase = 'open', completion = '', part_count = ?, size = ?,
  touched_at_ms = ?, lease_owner = '', lease_until_ms = 0
  WHERE id = ? AND lease_owner = ? AND phase = 'completing'`

const abortUpload = `UPDATE uploads SET phase = 'aborted', touched_at_ms = ?
  WHERE id = ? AND phase = 'open'`

const abortAndHold = `UPDATE uploads SET phase = 'aborted', touched_at_ms = ?,
  lease_owner = ?, lease_until_ms = ? ${whereSeen}`

const deleteUpload = `DELETE FROM uploads WHERE id = ? AND phase = ? AND lease_owner = ?`

const deleteParts = `DELETE FROM upload_parts WHERE upload_id = ? AND number > ?`

const deleteSlots = 'DELETE FROM upload_slots WHERE upload_id = ?'

/**
 * Uploads and their parts in the database. Every change is one conditional statement, or several in one
 * transaction, so that any number of processes may use one upload. Methods that return false have
 * changed nothing: the row is no longer as the caller read it.
 */
export class UploadTable {
  readonly #database: Database
  readonly placed: PlacedPartTable

  constructor(database: Database) {
    this.#database = database
    this.placed = new PlacedPartTable(database)
  }

  /**
   * Calls `onChange` with the id of an upload when another process makes a change that requests wait for; undefined:
   * any upload may have changed. Returns undefined if the database has no signals.
   */
  subscribe(onChange: OnUpload): Signals | undefined {
    return this.#database.subscribe?.((text) => onChange(...changeOf(text)))
  }

  async insert(
    upload: Pick<UploadRow, 'id' | 'target' | 'details' | 'driveState' | 'createdAtMs'> & {
      /** See `openByKey`. */
      readonly sortKey: string
    },
  ): Promise<void> {
    const { id, target, details, driveState, createdAtMs, sortKey } = upload
    const params = [id, target, details, driveState, createdAtMs, createdAtMs, sortKey]
    await this.#database.write([{ sql: insertUpload, params }])
  }

  async find(id: string): Promise<UploadRow | undefined> {
    if (!isSqlText(id)) return undefined
    const rows = await this.#database.read<UploadRow>(selectUpload, [id])
    return rows[0]
  }

  /** For the holder of the lease; false if it was lost. */
  setDriveState(id: string, owner: string, driveState: string): Promise<boolean> {
    return writeOne(this.#database, setDriveState, [driveState, id, owner])
  }

  /** Parts with a number above `after`, in order. */
  parts(id: string, after: number, limit: number): Promise<PartRow[]> {
    return this.#database.read<PartRow>(selectParts, [id, after, limit])
  }

  /** At most `limit` uploads in this phase and range, oldest first. */
  idle(phase: UploadPhase, { untilMs, after }: IdleRange, limit: number): Promise<UploadRow[]> {
    const { touchedAtMs, id } = after ?? { touchedAtMs: -1, id: '' }
    const params = [phase, untilMs, touchedAtMs, id, limit]
    return this.#database.read<UploadRow>(selectIdle, params)
  }

  /** At most `limit` open uploads after `after`, newest first, whose targets begin with `targetStart`. */
  open(
    targetStart: string,
    after: Pick<UploadRow, 'id' | 'createdAtMs'> | undefined,
    limit: number,
  ): Promise<UploadRow[]> {
    const { createdAtMs, id } = after ?? { createdAtMs: Number.MAX_SAFE_INTEGER, id: '' }
    const params = [targetStart, targetStart, createdAtMs, id, limit]
    return this.#database.read<UploadRow>(selectOpen, params)
  }

  /**
   * At most `limit` open uploads after `after` with a smaller sort key than `end`, in the order of sort keys and,
   * where these are the same, of ids.
   */
  openByKey(
    after: { readonly sortKey: string; readonly id: string },
    end: string,
    limit: number,
  ): Promise<UploadRow[]> {
    return this.#database.read<UploadRow>(selectByKey, [after.sortKey, after.id, end, limit])
  }

  async countOpen(): Promise<number> {
    const [row] = await this.#database.read<{ readonly uploads: number | string }>(countOpen)
    return Number(row?.uploads)
  }

  /** The bytes of the parts of all open uploads, and of slots without a part, by bucket. */
  async openBytes(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#database.read<{
      readonly bucket: string
      readonly bytes: number | string
    }>(sumOpen)
    return new Map(rows.map(({ bucket, bytes }) => [bucket, Number(bytes)]))
  }

  /** Whether the state of any upload begins with `start`, which contains no wildcards of LIKE. */
  async hasStates(start: string): Promise<boolean> {
    return (await this.#database.read(selectByState, [`${start}%`])).length > 0
  }

  takeLease(seen: SeenRow, lease: LeaseColumns): Promise<boolean> {
    return writeOne(this.#database, takeLease, [lease.owner, lease.untilMs, ...asSeen(seen)])
  }

  /** Also resolves with false if the upload is in another phase. */
  renewLease(seen: Pick<UploadRow, 'id' | 'phase'>, lease: LeaseColumns): Promise<boolean> {
    const { id, phase } = seen
    return writeOne(this.#database, renewLease, [lease.untilMs, id, lease.owner, phase])
  }

  releaseLease(id: string, owner: string): Promise<boolean> {
    return writeOne(this.#database, releaseLease, [id, owner], { signal: id })
  }

  /**
   * Adds the next parts, at least one and without gaps, and releases the lease. Resolves with the row
   * afterwards; undefined if `owner` no longer has the lease.
   */
  commitParts(
    held: HeldRow,
    parts: readonly PartRow[],
    driveState: string,
  ): Promise<UploadRow | undefined> {
    const { upload } = held
    const before = (parts[0]?.number ?? Number.NaN) - 1
    const size = parts.reduce((sum, part) => sum + part.size, upload.size)
    const touchedAtMs = Math.max(...parts.map((part) => part.modifiedAtMs))
    const now = { driveState, partCount: before + parts.length, size, touchedAtMs }
    const inserts = parts.map((part) => ({
      sql: insertPart,
      params: [upload.id, part.number, ...partColumns(part)],
    }))
    const signal = signalOf(upload.id, now)
    return this.#commit(held, before, { now, statements: inserts, signal })
  }

  /** Replaces the last part and releases the lease, as `commitParts`. */
  replacePart(
    held: HeldRow,
    change: { readonly from: PartRow; readonly to: PartRow; readonly driveState: string },
  ): Promise<UploadRow | undefined> {
    const { upload } = held
    const { from, to, driveState } = change
    const size = upload.size - from.size + to.size
    const now = { driveState, partCount: to.number, size, touchedAtMs: to.modifiedAtMs }
    const update = { sql: updatePart, params: [...partColumns(to), upload.id, to.number] }
    return this.#commit(held, to.number, { now, statements: [update], signal: upload.id })
  }

  async #commit(
    { upload, owner }: HeldRow,
    partCountBefore: number,
    change: {
      readonly now: CommittedParts
      readonly statements: readonly Statement[]
      readonly signal: string
    },
  ): Promise<UploadRow | undefined> {
    const { driveState, partCount, size, touchedAtMs } = change.now
    const changed = [driveState, partCount, size, touchedAtMs]
    const params = [...changed, upload.id, owner, partCountBefore]
    const isCommitted = await writeAll(this.#database, [
      { sql: commitParts, params, signal: change.signal },
      ...change.statements,
    ])
    return isCommitted ? withCommitted(upload, change.now) : undefined
  }

  /** From open to completing, with this lease, which may be the one already seen. */
  beginCompletion(
    seen: SeenRow & Pick<UploadRow, 'touchedAtMs'>,
    change: {
      readonly completion: string
      readonly nowMs: number
      readonly lease: LeaseColumns
    },
  ): Promise<boolean> {
    const { completion, nowMs, lease } = change
    const as = [...asSeen(seen), seen.touchedAtMs]
    const params = [completion, nowMs, lease.owner, lease.untilMs, ...as]
    return writeOne(this.#database, beginCompletion, params, { signal: seen.id })
  }

  /**
   * Records that the object is published. The row stays for repeated replies, which `completion` describes. The parts
   * are deleted later with the row, so that this is a single statement.
   */
  finishCompletion(
    id: string,
    owner: string,
    { completion, nowMs }: { readonly completion: string; readonly nowMs: number },
  ): Promise<boolean> {
    const params = [completion, nowMs, id, owner]
    return writeOne(this.#database, finishCompletion, params, { signal: id })
  }

  /**
   * From completing back to open. Keeps the parts up to number `last`: `partCount` parts of `size` bytes in total.
   */
  reopen(
    id: string,
    owner: string,
    state: {
      readonly partCount: number
      readonly size: number
      readonly nowMs: number
      readonly last?: number
    },
  ): Promise<boolean> {
    const { partCount, size, nowMs, last = partCount } = state
    return writeAll(
      this.#database,
      [{ sql: reopenUpload, params: [partCount, size, nowMs, id, owner], signal: id }],
      [{ sql: deleteParts, params: [id, last] }],
    )
  }

  /** From open to aborted, even if the lease is taken: its holder notices. */
  abort(id: string, nowMs: number): Promise<boolean> {
    return writeOne(this.#database, abortUpload, [nowMs, id], { signal: id })
  }

  /** From open to aborted with this lease, if the lease was seen to be free. */
  abortAndHold(
    seen: SeenRow,
    change: { readonly nowMs: number; readonly lease: LeaseColumns },
  ): Promise<boolean> {
    const { nowMs, lease } = change
    const params = [nowMs, lease.owner, lease.untilMs, ...asSeen(seen)]
    return writeOne(this.#database, abortAndHold, params, { signal: seen.id })
  }

  /** Deletes the row and the parts of an upload in this phase; `owner` is '' if the lease is free. */
  remove(id: string, phase: UploadPhase, owner: string): Promise<boolean> {
    return writeAll(
      this.#database,
      [{ sql: deleteUpload, params: [id, phase, owner], signal: id }],
      [
        { sql: deleteParts, params: [id, 0] },
        { sql: deleteSlots, params: [id] },
      ],
    )
  }
}

/** Returns the row after the commit, which also released the lease. */
export function withCommitted(upload: UploadRow, committed: CommittedParts): UploadRow {
  return { ...upload, ...committed, phase: 'open', leaseOwner: '', leaseUntilMs: 0 }
}

function asSeen(seen: SeenRow): SqlValue[] {
  const { id, phase, driveState, partCount, leaseOwner, leaseUntilMs } = seen
  return [id, phase, driveState, partCount, leaseOwner, leaseUntilMs]
}

function partColumns(part: PartRow): SqlValue[] {
  return [part.etag, part.size, part.modifiedAtMs, part.checksum]
}
