import type { RoutingSet, RoutingTables } from '../../state/routing.ts'
import type { Combo, Connection, CustomModel, ModelAliases } from '../routing-inputs.ts'
import type { RoutingSource } from '../routing-source.ts'
import { type RoutingItems, readRows } from './read-rows.ts'
import type { KeySealer } from './seal.ts'
import type { StoredConnection } from './stored-routing.ts'

export interface RoutingSourceLog {
  warn(fields: object, message: string): void
}

export interface DatabaseRoutingSourceParts {
  readonly tables: RoutingTables
  readonly sealer: KeySealer
  readonly log: RoutingSourceLog
}

/** A log line names no more connections or rows than this. */
const maxNamed = 20

interface Prepared<Value> {
  /** The array that the value was made of: another one means that something changed. */
  readonly rows: object
  readonly value: Value
}

/**
 * The stored inputs for the model list. What they were made into is kept until they change, so that
 * a list costs one small SELECT.
 */
export class DatabaseRoutingSource implements RoutingSource {
  readonly #tables: RoutingTables
  readonly #sealer: KeySealer
  readonly #log: RoutingSourceLog
  readonly #prepared = new Map<RoutingSet, Prepared<unknown>>()

  constructor({ tables, sealer, log }: DatabaseRoutingSourceParts) {
    this.#tables = tables
    this.#sealer = sealer
    this.#log = log
  }

  /** A key that can't be opened counts as none, which the log says once. */
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

  /** A row that can't be read is passed over, which the log says once for each change. */
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
    const connections = stored.map(({ sealedKey, ...connection }): Connection => {
      if (sealedKey === undefined) return connection
      const apiKey = this.#sealer.open(sealedKey, connection.id)
      if (apiKey === undefined) unreadable.push(connection.id)
      return { ...connection, apiKey }
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
