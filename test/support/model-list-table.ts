import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buildModelList, type ModelListInputs } from '../../src/models/list/build-model-list.ts'
import type { ServiceKind } from '../../src/models/list/routing-inputs.ts'
import { smallCatalogue } from './small-catalogue.ts'

/** Tables of stored rows and the list that is built from them. */

/** Rows as a database may hold them: of any shape. */
export type Rows = { [Input in keyof ModelListInputs]?: unknown } & {
  readonly kinds?: ServiceKind[]
}

export function build({ kinds = ['llm'], ...rows }: Rows) {
  return buildModelList({
    filter: new Set(kinds),
    connections: [],
    combos: [],
    customModels: [],
    modelAliases: {},
    catalogue: smallCatalogue,
    upstreamIds: new Map(),
    nowMs: 1_700_000_000_999,
    ...rows,
  } as ModelListInputs)
}

export const ids = (rows: Rows) => build(rows).map(({ id }) => id)

let age = 0

/** A stored connection, younger than the last. */
export function connection(provider: string, fields: object = {}) {
  age++
  return { id: `c${age}`, provider, createdAtMs: age, ...fields }
}

export const withData = (providerSpecificData: object) => ({ providerSpecificData })

interface Case extends Rows {
  readonly title: string
  readonly expected: readonly string[]
}

export function table(name: string, cases: readonly Case[]) {
  describe(name, () => {
    for (const { title, expected, ...rows } of cases) {
      test(title, () => assert.deepEqual(ids(rows), expected))
    }
  })
}

/** A provider that is not in the catalogue. */
export const node = 'openai-compatible-lab'
/** It, and what its upstream answered. */
export const upstreamOf = (given: readonly string[]) => {
  const own = connection(node)
  return { connections: [own], upstreamIds: new Map([[own.id, given]]) }
}
