import { hash } from 'node:crypto'
import type { Database, SqlValue, Statement } from '../../../platform/state/database.ts'
import { readLists, valueLists, writeAll } from '../../../platform/state/statements.ts'
import { driveDigest, driveKey } from './drive-database.ts'

/** Few enough to bound the table of revisions, and so many that few names share one. */
const revisionSlots = 4096

interface LookRow {
  readonly keyDigest: string | null
  readonly owner: string | null
  readonly untilMs: number | null
  readonly note: string | null
  readonly slot: number | null
  readonly revision: number | null
}

const insertLease = `INSERT INTO key_leases (key_digest, parent, owner, until_ms, note, drive)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
const replaceLease = `UPDATE key_leases SET owner = ?, until_ms = ?
  WHERE key_digest = ? AND owner = ? AND until_ms = ?`
const setNote = 'UPDATE key_leases SET note = ? WHERE key_digest = ? AND owner = ?'
const renewLease = 'UPDATE key_leases SET until_ms = ? WHERE key_digest = ? AND owner = ?'
const lockLease = 'UPDATE key_leases SET owner = owner WHERE key_digest = ? AND owner = ?'
const deleteLease = 'DELETE FROM key_leases WHERE key_digest = ? AND owner = ?'
const endLease = 'UPDATE key_leases SET until_ms = 0 WHERE key_digest = ? AND owner = ?'
const bumpRevision = `INSERT INTO lease_revisions (slot, revision) VALUES (?, 1)
  ON CONFLICT (slot) DO UPDATE SET revision = lease_revisions.revision + 1`
const leaseColumns = 'owner, until_ms AS "untilMs", note'
/** One statement, so that both parts show the same moment. */
const selectLook = (keys: string, slots: string) => `
  SELECT key_digest AS "keyDigest", ${leaseColumns}, NULL AS slot, NULL AS revision
  FROM key_leases WHERE key_digest IN (${keys})
  UNION ALL SELECT NULL, NULL, NULL, NULL, slot, revision
  FROM lease_revisions WHERE slot IN (${slots})`

export interface LeaseClaim {
  readonly owner: string
  /** Milliseconds since the epoch. */
  readonly untilMs: number
  /** The recovery record of its holder, for the process that takes over; '' for none. */
  readonly note: string
}

export interface KeyedLease extends LeaseClaim {
  readonly key: string
}

export interface LeaseRelease {
  readonly owner: string
  readonly bumped: readonly string[]
  readonly keepsNote: boolean
}

export interface LeaseLook {
  readonly leases: readonly KeyedLease[]
  /** Several names may share a revision, so it may also rise for another name. */
  readonly revisions: readonly number[]
}

/**
 * Leases in the database. A lease key is a text of any characters, at most 8,192 UTF-8 bytes; the part before its last
 * `/` is its parent. The column `key_digest` has its digest. Any method may reject with the database's own error.
 */
export class DatabaseLeases {
  readonly #database: Database
  readonly #drive: string

  /**
   * @param drive the drive's name; '' for the default drive. Keys that belong to no drive begin with `/`, as no key of the
   *   default drive and no other drive's name does.
   */
  constructor(database: Database, drive = '') {
    this.#database = database
    this.#drive = drive
  }

  /**
   * A statement for transactions that only the holder may commit: no other process can take the lease before such a
   * transaction ends. It changes a row (`mustChange`) if `owner` still holds the key.
   */
  heldBy(key: string, owner: string): Statement {
    return { sql: lockLease, params: [this.#digest(key), owner], mustChange: 1 }
  }

  /**
   * Takes all these keys or none. A key is free if it has no lease, or one of `ended` that is unchanged since it was
   * read. The note of such a lease stays until `note` is called.
   */
  async take(
    keys: readonly string[],
    { owner, untilMs, note }: LeaseClaim,
    ended: readonly KeyedLease[],
  ): Promise<boolean> {
    const before = new Map(ended.map((lease) => [lease.key, lease]))
    return await writeAll(
      this.#database,
      // Always in the same order, so that PostgreSQL's row locks cannot deadlock.
      keys.toSorted().map((key) => {
        const old = before.get(key)
        const keyDigest = this.#digest(key)
        return old === undefined
          ? {
              sql: insertLease,
              params: [keyDigest, this.#digest(parentOf(key)), owner, untilMs, note, this.#drive],
            }
          : { sql: replaceLease, params: [owner, untilMs, keyDigest, old.owner, old.untilMs] }
      }),
    )
  }

  /** Sets the note of all these keys that `owner` holds. */
  async note(keys: readonly string[], owner: string, note: string): Promise<void> {
    await this.#database.write(
      keys.toSorted().map((key) => ({ sql: setNote, params: [note, this.#digest(key), owner] })),
    )
  }

  /** Renews the leases; false if `owner` no longer holds one of the keys. */
  renew(
    keys: readonly string[],
    { owner, untilMs }: Pick<LeaseClaim, 'owner' | 'untilMs'>,
  ): Promise<boolean> {
    return writeAll(
      this.#database,
      keys
        .toSorted()
        .map((key) => ({ sql: renewLease, params: [untilMs, this.#digest(key), owner] })),
    )
  }

  /**
   * Releases those of these keys that `owner` still holds and bumps the revisions of these names, in one transaction.
   * With `keepsNote`, the leases stay, ended, with their notes.
   */
  async release(
    keys: readonly string[],
    { owner, bumped, keepsNote }: LeaseRelease,
  ): Promise<void> {
    const slots = [...new Set(bumped.map((name) => this.#slotOf(name)))].sort((a, b) => a - b)
    const sql = keepsNote ? endLease : deleteLease
    await this.#database.write([
      ...keys.toSorted().map((key) => ({ sql, params: [this.#digest(key), owner] })),
      ...slots.map((slot) => ({ sql: bumpRevision, params: [slot] })),
    ])
  }

  /** The leases on these keys and the revisions of these names, in order, at one moment. */
  async look(keys: readonly string[], names: readonly string[]): Promise<LeaseLook> {
    const keyOf = new Map(keys.map((key) => [this.#digest(key), key]))
    const slots = names.map((name) => this.#slotOf(name))
    const digests = list([...keyOf.keys()])
    const wantedSlots = list([...new Set(slots)])
    const rows = await this.#database.read<LookRow>(selectLook(digests.sql, wantedSlots.sql), [
      ...digests.params,
      ...wantedSlots.params,
    ])
    const leases: KeyedLease[] = []
    const revisionOf = new Map<number, number>()
    for (const { keyDigest, owner, untilMs, note, slot, revision } of rows) {
      if (slot !== null) revisionOf.set(Number(slot), Number(revision))
      else if (keyDigest !== null) {
        const key = keyOf.get(keyDigest) ?? keyDigest
        leases.push({ key, owner: owner ?? '', untilMs: Number(untilMs), note: note ?? '' })
      }
    }
    return { leases, revisions: slots.map((slot) => revisionOf.get(slot) ?? 0) }
  }

  /** The leases on keys directly below these. */
  below(keys: readonly string[]): Promise<LeaseClaim[]> {
    const parents = valueLists(keys.map((key) => this.#digest(key)))
    const select = (some: string) =>
      `SELECT ${leaseColumns} FROM key_leases WHERE parent IN (${some})`
    return readLists<LeaseClaim>(this.#database, parents, select)
  }

  /** At most `limit` leases with a note that ended at this time or earlier. */
  endedWithNote(untilMs: number, limit: number): Promise<LeaseClaim[]> {
    const select = `SELECT ${leaseColumns} FROM key_leases
      WHERE until_ms <= ? AND note <> '' AND drive = ? ORDER BY until_ms LIMIT ?`
    return this.#database.read<LeaseClaim>(select, [untilMs, this.#drive, limit])
  }

  #digest(key: string): string {
    return driveDigest(this.#drive, key)
  }

  #slotOf(name: string): number {
    return slotOf(driveKey(this.#drive, name))
  }
}

/** What the holders of leases use of the table. */
export type LeaseTable = Pick<
  DatabaseLeases,
  'take' | 'note' | 'renew' | 'release' | 'look' | 'below' | 'endedWithNote'
>

/** One list of parameters; few keys are looked up together. */
function list(values: readonly SqlValue[]): { sql: string; params: readonly SqlValue[] } {
  const params = values.length === 0 ? [null] : values
  return { sql: params.map(() => '?').join(', '), params }
}

function parentOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')))
}

function slotOf(name: string): number {
  return Number.parseInt(hash('sha256', name, 'hex').slice(0, 8), 16) % revisionSlots
}
