import { z } from 'zod'
import { type Route, route, routesBelow } from '../../platform/json-api/route.ts'
import type { Sealer } from '../../platform/state/sealer.ts'
import { givenConnection } from './connection-edits.ts'
import { connectionRoutes } from './connection-routes.ts'
import { maxBodyBytes } from './field-schemas.ts'
import { exportFile } from './import/export-file.ts'
import { importInto, importModes } from './import/import-edit.ts'
import { importAnswer, importReport } from './import/import-report.ts'
import { readExport } from './import/read-export.ts'
import { itemRoutes } from './item-routes.ts'
import { randomConnectionId } from './random-id.ts'
import {
  applyEdit,
  type RoutingApiParts,
  stateWarnings,
  tagReply,
  toRoutingAnswer,
  toWarnedRouting,
} from './route-replies.ts'
import { type RoutingInput, routingAnswer, routingInput, warnedRouting } from './routing-schemas.ts'
import type { RoutingEdit } from './routing-store.ts'
import { assertUnique, itemKeys, type StoredRouting } from './stored-routing.ts'

/** The management API for the sources of the model list (docs/routing-api.md). */
export function routingApi(parts: RoutingApiParts): readonly Route[] {
  return routesBelow('/-/api/routing', { tag: 'routing', access: parts.session }, [
    ...stateRoutes(parts),
    ...connectionRoutes(parts),
    ...itemRoutes(parts),
    importRoute(parts),
  ])
}

/** The whole state: docs/contract/model-list.md, "Stored inputs". */
function stateRoutes({ store, sealer, catalogue, now }: RoutingApiParts): readonly Route[] {
  const getRouting = route({
    method: 'GET',
    path: '',
    operationId: 'getRouting',
    summary: 'Returns the sources of the model list',
    reply: warnedRouting,
    async answer({ replyHeaders }) {
      const { revision, state } = await store.read()
      tagReply(replyHeaders, revision)
      return toWarnedRouting(state, { sealer, catalogue })
    },
  })

  const putRouting = route({
    method: 'PUT',
    path: '',
    bodyLimit: maxBodyBytes,
    operationId: 'putRouting',
    summary: 'Replaces the sources of the model list, all or nothing',
    body: routingInput,
    reply: warnedRouting,
    async answer(call) {
      const parts = { sealer, nowMs: now() }
      const edit: RoutingEdit = (before) => wholeState(call.body, before, parts)
      const state = await applyEdit(store, edit, call)
      return toWarnedRouting(state, { sealer, catalogue })
    },
  })

  const exportRouting = route({
    method: 'GET',
    path: '/export',
    operationId: 'exportRouting',
    summary: 'Exports the sources of the model list as a file, with masked keys',
    reply: routingAnswer,
    async answer({ replyHeaders }) {
      const { state } = await store.read()
      replyHeaders.set('content-disposition', 'attachment; filename="bucketry-routing.json"')
      return toRoutingAnswer(state, sealer)
    },
  })
  return [getRouting, putRouting, exportRouting]
}

/**
 * Pure except for new ids and nonces: the state to store instead of `before`, from the body of a
 * PUT. Masked keys and the age of connections are kept.
 *
 * @throws ApiError 400 that names the field.
 */
function wholeState(
  input: RoutingInput,
  before: StoredRouting,
  parts: { readonly sealer: Sealer; readonly nowMs: number },
): StoredRouting {
  const { connections, combos, customModels, modelAliases } = input
  const known = new Map(before.connections.map((connection) => [connection.id, connection]))
  assertUnique(connections, ({ id }) => id, { list: 'connections', field: 'id' })
  assertUnique(combos, itemKeys.combos, { list: 'combos', field: 'name' })
  assertUnique(customModels, itemKeys.customModels, { list: 'customModels', field: 'id' })
  return {
    connections: connections.map((connection, index) => {
      const id = connection.id ?? randomConnectionId()
      const path = ['connections', index]
      return givenConnection({ ...connection, id }, { ...parts, stored: known.get(id), path })
    }),
    combos,
    customModels,
    modelAliases: Object.entries(modelAliases).map(([name, target]) => ({ name, target })),
    broken: [],
  }
}

/** Imports a 9router export in one transaction, all or nothing. */
function importRoute({ store, sealer, catalogue, now }: RoutingApiParts): Route {
  return route({
    method: 'POST',
    path: '/import',
    operationId: 'importRouting',
    summary: 'Imports a 9router export',
    query: z.strictObject({ mode: z.enum(importModes).default('merge') }),
    bodyLimit: maxBodyBytes,
    body: exportFile,
    reply: importAnswer,
    async answer(call) {
      const { mode } = call.query
      const file = call.body
      const read = readExport(file)
      const parts = { mode, sealer, nowMs: now() }
      const edit: RoutingEdit = (before) => importInto(before, read, parts)
      const state = await applyEdit(store, edit, call)
      return importReport({ mode, file, read, state, warnings: stateWarnings(state, catalogue) })
    },
  })
}
