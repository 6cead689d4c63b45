import { setTimeout as wait } from 'node:timers/promises'
import { ApiError } from '../../platform/json-api/api-error.ts'
import {
  maxCombos,
  maxConnections,
  maxCustomModels,
  maxModelAliases,
  maxStateBytes,
} from './field-schemas.ts'
import { readState } from './read-rows.ts'
import type { RoutingRows, RoutingSet, RoutingTables } from './routing-table.ts'
import { type StoredRouting, toRows } from './stored-routing.ts'

interface RoutingAt {
  readonly revision: number
  readonly state: StoredRouting
}

/** Pure: returns the new state. Runs again after a concurrent change. */
export type RoutingEdit = (state: StoredRouting) => StoredRouting

const maxItems: Readonly<Record<RoutingSet, number>> = {
  connections: maxConnections,
  combos: maxCombos,
  customModels: maxCustomModels,
  modelAliases: maxModelAliases,
}

/** One of several concurrent writers succeeds each time. */
const changeTries = 100
const maxPauseMs = 20

/** Reads and changes the whole state; each change is one transaction on the state it has read. */
export class RoutingStore {
  readonly #tables: RoutingTables

  constructor(tables: RoutingTables) {
    this.#tables = tables
  }

  async read(): Promise<RoutingAt> {
    const { revision, rows } = await this.#tables.snapshot()
    return { revision, state: readState(rows) }
  }

  /**
   * @param expected The only revision that may be changed; default: any.
   * @throws ApiError 412 if the revision differs, 409 if the result is too large, and what `edit`
   * throws; nothing is changed then.
   */
  async change(edit: RoutingEdit, expected?: number): Promise<RoutingAt> {
    for (let tries = 1; tries <= changeTries; tries++) {
      const seen = await this.#tables.snapshot()
      if (expected !== undefined && seen.revision !== expected) {
        throw new ApiError(412, 'The state has changed since you read it. Read it again.')
      }
      const state = edit(readState(seen.rows))
      const next = toRows(state)
      assertSize(next)
      const revision = await this.#tables.replace(seen, next)
      if (revision !== undefined) return { revision, state }
      await wait(Math.random() * maxPauseMs)
    }
    throw new ApiError(503, 'Too many concurrent changes. Try again.', {
      headers: { 'retry-after': '1' },
    })
  }
}

function assertSize(rows: RoutingRows): void {
  let bytes = 0
  for (const [set, max] of Object.entries(maxItems) as [RoutingSet, number][]) {
    if (rows[set].length > max) {
      throw new ApiError(409, `Limit of ${max} ${set} exceeded.`, {
        field: set,
      })
    }
    for (const { json } of rows[set]) bytes += Buffer.byteLength(json)
  }
  if (bytes > maxStateBytes) {
    throw new ApiError(409, `The stored state would exceed ${maxStateBytes} bytes.`)
  }
}
