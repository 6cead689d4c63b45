import { hash } from 'node:crypto'
import { type Database, type SqlValue, type Statement, UnmetChange } from '../database.ts'
import { parameterLists } from '../parameter-lists.ts'

/** Few enough to bound the table of revisions, many enough that few names share one. */
const revisionSlots = 4096

export interface LeaseClaimRow {
  readonly owner: string
  readonly untilMs: number
  readonly note: string
}

export interface PlaceLeaseRow extends LeaseClaimRow {
  readonly place: string
}

interface LookRow {
  readonly place: string | null
  readonly owner: string | null
  readonly untilMs: number | null
  readonly note: string | null
  readonly slot: number | null
  readonly revision: number | null
}

const insertLease = `INSERT INTO key_leases (place, parent, owner, until_ms, note)
  VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
const replaceLease = `UPDATE key_leases SET owner = ?, until_ms = ?
  WHERE place = ? AND owner = ? AND until_ms = ?`
const setNote = 'UPDATE key_leases SET note = ? WHERE place = ? AND owner = ?'
const renewLease = 'UPDATE key_leases SET until_ms = ? WHERE place = ? AND owner = ?'
const deleteLease = 'DELETE FROM key_leases WHERE place = ? AND owner = ?'
const endLease = 'UPDATE key_leases SET until_ms = 0 WHERE place = ? AND owner = ?'
const bumpRevision = `INSERT INTO lease_revisions (slot, revision) VALUES (?, 1)
  ON CONFLICT (slot) DO UPDATE SET revision = lease_revisions.revision + 1`
const leaseColumns = 'owner, until_ms AS "untilMs", note'
/** One statement, so that both halves show one moment. */
const selectLook = (places: string, slots: string) => `
  SELECT place, ${leaseColumns}, NULL AS slot, NULL AS revision
  FROM key_leases WHERE place IN (${places})
  UNION ALL SELECT NULL, NULL, NULL, NULL, slot, revision
  FROM lease_revisions WHERE slot IN (${slots})`

/** Leases in the database; its methods are the contract of src/drives/lease-table.ts. */
export class DatabaseLeases {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async take(
    places: readonly string[],
    claim: LeaseClaimRow,
    ended: readonly PlaceLeaseRow[],
  ): Promise<boolean> {
    const { owner, untilMs, note } = claim
    const before = new Map(ended.map((lease) => [lease.place, lease]))
    return await this.#writeAll(
      // Always in the same order: PostgreSQL's row locks must not wait in a circle.
      places.toSorted().map((place) => {
        const old = before.get(place)
        const stored = storedName(place)
        return old === undefined
          ? {
              sql: insertLease,
              params: [stored, storedName(parentOf(place)), owner, untilMs, note],
            }
          : { sql: replaceLease, params: [owner, untilMs, stored, old.owner, old.untilMs] }
      }),
    )
  }

  async note(places: readonly string[], owner: string, note: string): Promise<void> {
    await this.#database.write(
      places
        .toSorted()
        .map((place) => ({ sql: setNote, params: [note, storedName(place), owner] })),
    )
  }

  renew(
    places: readonly string[],
    { owner, untilMs }: Omit<LeaseClaimRow, 'note'>,
  ): Promise<boolean> {
    return this.#writeAll(
      places
        .toSorted()
        .map((place) => ({ sql: renewLease, params: [untilMs, storedName(place), owner] })),
    )
  }

  async release(
    places: readonly string[],
    release: {
      readonly owner: string
      readonly bumped: readonly string[]
      readonly keepsNote: boolean
    },
  ): Promise<void> {
    const { owner, bumped, keepsNote } = release
    const slots = [...new Set(bumped.map(slotOf))].sort((a, b) => a - b)
    const sql = keepsNote ? endLease : deleteLease
    await this.#database.write([
      ...places.toSorted().map((place) => ({ sql, params: [storedName(place), owner] })),
      ...slots.map((slot) => ({ sql: bumpRevision, params: [slot] })),
    ])
  }

  async look(
    places: readonly string[],
    names: readonly string[],
  ): Promise<{ leases: PlaceLeaseRow[]; revisions: number[] }> {
    const placeOf = new Map(places.map((place) => [storedName(place), place]))
    const slots = names.map(slotOf)
    const wantedPlaces = list([...placeOf.keys()])
    const wantedSlots = list([...new Set(slots)])
    const rows = await this.#database.read<LookRow>(selectLook(wantedPlaces.sql, wantedSlots.sql), [
      ...wantedPlaces.params,
      ...wantedSlots.params,
    ])
    const leases: PlaceLeaseRow[] = []
    const revisionOf = new Map<number, number>()
    for (const { place, owner, untilMs, note, slot, revision } of rows) {
      if (slot !== null) revisionOf.set(Number(slot), Number(revision))
      else if (place !== null) {
        const name = placeOf.get(place) ?? place
        leases.push({ place: name, owner: owner ?? '', untilMs: Number(untilMs), note: note ?? '' })
      }
    }
    return { leases, revisions: slots.map((slot) => revisionOf.get(slot) ?? 0) }
  }

  async below(places: readonly string[]): Promise<LeaseClaimRow[]> {
    const found: LeaseClaimRow[] = []
    const parents = places.map((place) => [storedName(place)])
    for (const { sql, params } of parameterLists(parents, '?')) {
      const select = `SELECT ${leaseColumns} FROM key_leases WHERE parent IN (${sql})`
      found.push(...(await this.#database.read<LeaseClaimRow>(select, params)))
    }
    return found
  }

  endedWithNote(untilMs: number, limit: number): Promise<LeaseClaimRow[]> {
    const select = `SELECT ${leaseColumns} FROM key_leases
      WHERE until_ms <= ? AND note <> '' ORDER BY until_ms LIMIT ?`
    return this.#database.read<LeaseClaimRow>(select, [untilMs, limit])
  }

  /** All or nothing: each statement must change one row. */
  async #writeAll(statements: readonly Statement[]): Promise<boolean> {
    try {
      await this.#database.write(statements.map((one) => ({ ...one, mustChange: 1 })))
      return true
    } catch (error) {
      if (error instanceof UnmetChange) return false
      throw error
    }
  }
}

/** One list of parameters; places that are looked at together are few. */
function list(values: readonly SqlValue[]): { sql: string; params: readonly SqlValue[] } {
  const params = values.length === 0 ? [null] : values
  return { sql: params.map(() => '?').join(', '), params }
}

function parentOf(place: string): string {
  return place.slice(0, Math.max(0, place.lastIndexOf('/')))
}

/** PostgreSQL's indexes accept at most some 2,700 bytes and no NUL; only equality is needed. */
function storedName(name: string): string {
  return hash('sha256', name, 'base64url')
}

function slotOf(name: string): number {
  return Number.parseInt(hash('sha256', name, 'hex').slice(0, 8), 16) % revisionSlots
}
