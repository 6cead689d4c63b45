import { type Database, DatabaseError, type Statement } from '../../platform/state/database.ts'
import {
  listStatements,
  rowInserts,
  valueLists,
  writeAll,
} from '../../platform/state/statements.ts'

const tableOf = {
  connections: 'routing_connections',
  combos: 'routing_combos',
  customModels: 'routing_custom_models',
  modelAliases: 'routing_model_aliases',
} as const

export type RoutingSet = keyof typeof tableOf

const routingSets = Object.keys(tableOf) as readonly RoutingSet[]

export interface RoutingRow {
  /** Unique in its set; at most some 2,000 bytes of UTF-8, which PostgreSQL's indexes can hold. */
  readonly id: string
  /** Opaque here. */
  readonly json: string
}

/** A row as stored: a set is read in the order of its positions, which may have gaps. */
export interface OrderedRow extends RoutingRow {
  readonly position: number
}

/** The sets, each in its order. */
export type RoutingRows = Readonly<Record<RoutingSet, readonly RoutingRow[]>>

/** The sets as they were together at one revision. */
export interface RoutingSnapshot {
  readonly revision: number
  readonly rows: Readonly<Record<RoutingSet, readonly OrderedRow[]>>
}

interface LoadedSet {
  readonly revision: number
  readonly rows: Promise<readonly OrderedRow[]>
}

const selectRevision = 'SELECT revision FROM routing_revision WHERE id = 1'
const bumpRevision =
  'UPDATE routing_revision SET revision = revision + 1 WHERE id = 1 AND revision = ?'

/** Attempts to read a snapshot; repeated writes between its reads are unlikely. */
const snapshotTries = 20

/**
 * The inputs of the model list in the database. Rows stay cached until any process changes the revision:
 * a read of cached rows costs one small SELECT.
 */
export class RoutingTables {
  readonly #database: Database
  readonly #loaded = new Map<RoutingSet, LoadedSet>()
  #asked: Promise<number> | undefined
  /** Grows when this process changes something. */
  changes = 0

  constructor(database: Database) {
    this.#database = database
  }

  /** One set in its order, as of the last commit; the same array until something changes. */
  async load(set: RoutingSet): Promise<readonly OrderedRow[]> {
    return this.#loadAt(set, await this.#revision())
  }

  /** All sets as of one commit. */
  async snapshot(): Promise<RoutingSnapshot> {
    for (let tries = 1; ; tries++) {
      const revision = await this.#revision()
      const rows = await this.#loadAll(revision)
      // No set is older than the revision read before it, and none is newer if that is still current.
      if ((await this.#revision()) === revision) return { revision, rows }
      if (tries === snapshotTries) throw new DatabaseError('the routing tables change too fast')
    }
  }

  /**
   * Replaces the sets by `next`, in one transaction.
   *
   * @returns the new revision; undefined if another writer was faster and nothing was changed
   */
  async replace(seen: RoutingSnapshot, next: RoutingRows): Promise<number | undefined> {
    const changes = routingSets.flatMap((set) => statementsFor(set, seen.rows[set], next[set]))
    if (changes.length === 0) return seen.revision
    const bump = { sql: bumpRevision, params: [seen.revision] }
    try {
      const isWritten = await writeAll(this.#database, [bump], changes)
      return isWritten ? seen.revision + 1 : undefined
    } finally {
      this.changes += 1
    }
  }

  async #loadAll(revision: number): Promise<RoutingSnapshot['rows']> {
    const sets = routingSets.map(async (set) => [set, await this.#loadAt(set, revision)] as const)
    return Object.fromEntries(await Promise.all(sets)) as RoutingSnapshot['rows']
  }

  /** The rows may be newer than `revision`, never older: a later reader then loads them again. */
  #loadAt(set: RoutingSet, revision: number): Promise<readonly OrderedRow[]> {
    const known = this.#loaded.get(set)
    if (known?.revision === revision) return known.rows
    const rows = this.#database.read<OrderedRow>(
      `SELECT id, position, json FROM ${tableOf[set]} ORDER BY position, id`,
    )
    const loaded = { revision, rows }
    this.#loaded.set(set, loaded)
    rows.catch(() => {
      if (this.#loaded.get(set) === loaded) this.#loaded.delete(set)
    })
    return rows
  }

  /** Calls of one turn share one SELECT. Later calls start another, to see what was committed since. */
  #revision(): Promise<number> {
    if (this.#asked === undefined) {
      this.#asked = this.#readRevision()
      queueMicrotask(() => {
        this.#asked = undefined
      })
    }
    return this.#asked
  }

  async #readRevision(): Promise<number> {
    const [row] = await this.#database.read<{ revision: number }>(selectRevision)
    if (row === undefined)
      throw new DatabaseError('the row of the table routing_revision is missing')
    return row.revision
  }
}

function statementsFor(
  set: RoutingSet,
  seen: readonly OrderedRow[],
  next: readonly RoutingRow[],
): Statement[] {
  const table = tableOf[set]
  const { removed, added } = rowChanges(seen, next)
  const deletes = listStatements(
    valueLists(removed),
    (list) => `DELETE FROM ${table} WHERE id IN (${list})`,
  )
  const rows = added.map(({ id, position, json }) => [id, position, json])
  return [...deletes, ...rowInserts(`INSERT INTO ${table} (id, position, json)`, rows)]
}

/**
 * Pure: the changes from `seen` to `next`. A changed row is removed and added. A row that only has
 * another predecessor keeps its position if the order allows it.
 */
export function rowChanges(
  seen: readonly OrderedRow[],
  next: readonly RoutingRow[],
): { readonly removed: readonly string[]; readonly added: readonly OrderedRow[] } {
  const old = new Map(seen.map((row) => [row.id, row]))
  const added: OrderedRow[] = []
  let position = -1
  for (const { id, json } of next) {
    const before = old.get(id)
    position = before !== undefined && before.position > position ? before.position : position + 1
    if (before?.position === position && before.json === json) old.delete(id)
    else added.push({ id, position, json })
  }
  return { removed: [...old.keys()], added }
}
