import type { Log } from '../../platform/process/log.ts'
import type { Sealer } from '../../platform/state/sealer.ts'
import type {
  Combo,
  Connection,
  CustomModel,
  ModelAliases,
  RoutingSource,
} from '../list/routing-inputs.ts'
import { openConnection } from './given-key.ts'
import { readRows } from './read-rows.ts'
import type { RoutingSet, RoutingTables } from './routing-table.ts'
import type { RoutingItems, StoredConnection } from './stored-routing.ts'

interface DatabaseRoutingSourceParts {
  readonly tables: RoutingTables
  readonly sealer: Sealer
  readonly log: Pick<Log, 'warn'>
}

/** The maximum number of connections or rows in a log line. */
const maxNamed = 20

interface Prepared<Value> {
  /** The array that the value was built from: a different array means a change. */
  readonly rows: object
  readonly value: Value
}

/**
 * The stored inputs of the model list. Parsed values are cached until they change, so that a list
 * costs one small SELECT.
 */
export class DatabaseRoutingSource implements RoutingSource {
  readonly #tables: RoutingTables
  readonly #sealer: Sealer
  readonly #log: DatabaseRoutingSourceParts['log']
  readonly #prepared = new Map<RoutingSet, Prepared<unknown>>()

  constructor({ tables, sealer, log }: DatabaseRoutingSourceParts) {
    this.#tables = tables
    this.#sealer = sealer
    this.#log = log
  }

  get changes(): number {
    return this.#tables.changes
  }

  /** A key or a header field that cannot be decrypted counts as missing and is logged once. */
  connections(): Promise<readonly Connection[]> {
    return this.#prepare('connections', (stored) => this.#openKeys(stored))
  }

  combos(): Promise<readonly Combo[]> {
    return this.#prepare('combos', (combos) => combos)
  }

  customModels(): Promise<readonly CustomModel[]> {
    return this.#prepare('customModels', (models) => models)
  }

  modelAliases(): Promise<ModelAliases> {
    return this.#prepare('modelAliases', (aliases) =>
      Object.fromEntries(aliases.map(({ name, target }) => [name, target])),
    )
  }

  /** An unreadable row is skipped and logged once per change. */
  async #prepare<Set extends RoutingSet, Value>(
    set: Set,
    make: (items: readonly RoutingItems[Set][]) => Value,
  ): Promise<Value> {
    const rows = await this.#tables.load(set)
    const known = this.#prepared.get(set) as Prepared<Value> | undefined
    if (known?.rows === rows) return known.value
    const { items, broken } = readRows(set, rows)
    if (broken.length > 0) {
      const ids = broken.slice(0, maxNamed).map(({ id }) => id)
      this.#log.warn(
        { set, rows: ids, count: broken.length },
        'could not read stored routing rows: replace or delete them',
      )
    }
    const value = make(items)
    this.#prepared.set(set, { rows, value })
    return value
  }

  #openKeys(stored: readonly StoredConnection[]): Connection[] {
    const unreadable: string[] = []
    const connections = stored.map((sealed) => {
      const { connection, isReadable } = openConnection(sealed, this.#sealer)
      if (!isReadable) unreadable.push(connection.id)
      return connection
    })
    if (unreadable.length > 0) {
      this.#log.warn(
        { connections: unreadable.slice(0, maxNamed), count: unreadable.length },
        'provider keys were encrypted with another SECRET_KEY: restore it or enter the keys again',
      )
    }
    return connections
  }
}
