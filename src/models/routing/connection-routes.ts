import { z } from 'zod'
import { type Call, type Route, route } from '../../platform/json-api/route.ts'
import { type ProbeReport, probeReport } from '../upstream/upstreams.ts'
import {
  addConnection,
  changeConnection,
  findConnection,
  givenConnection,
  removeConnection,
  reorderConnections,
  setActive,
} from './connection-edits.ts'
import { openConnection } from './given-key.ts'
import { randomConnectionId, randomProviderId } from './random-id.ts'
import {
  applyEdit,
  itemWarnings,
  type RoutingApiParts,
  toConnectionAnswer,
  toWarnedRouting,
} from './route-replies.ts'
import {
  changedConnection,
  connectionChange,
  connectionOrder,
  newConnection,
  warnedRouting,
} from './routing-schemas.ts'
import type { RoutingEdit } from './routing-store.ts'

const params = z.object({ id: z.string() })

export function connectionRoutes(parts: RoutingApiParts): readonly Route[] {
  return [
    createRoute(parts),
    changeRoute(parts),
    switchRoute(parts, true),
    switchRoute(parts, false),
    reorderRoute(parts),
    deleteRoute(parts),
    testRoute(parts),
  ]
}

function createRoute(parts: RoutingApiParts): Route {
  const { sealer, now } = parts
  return route({
    method: 'POST',
    path: '/connections',
    operationId: 'createConnection',
    summary: 'Creates a connection to a provider',
    body: newConnection,
    status: 201,
    reply: changedConnection,
    async answer(call) {
      // The schema ensures either a provider or a kind.
      const { kind = 'openai-compatible', name } = call.body
      const provider = call.body.provider ?? randomProviderId(kind, name ?? '')
      const id = randomConnectionId()
      const nowMs = now()
      const connection = givenConnection(
        { ...call.body, id, provider, createdAtMs: nowMs },
        { sealer, nowMs, stored: undefined, path: [] },
      )
      return changedBy(parts, call, { id, edit: (before) => addConnection(before, connection) })
    },
  })
}

function changeRoute(parts: RoutingApiParts): Route {
  const { sealer } = parts
  return route({
    method: 'PATCH',
    path: '/connections/{id}',
    operationId: 'changeConnection',
    summary: 'Changes the given fields of a connection; null removes a field',
    params,
    body: connectionChange,
    reply: changedConnection,
    async answer(call) {
      const { id } = call.params
      const change = { change: call.body, sealer }
      return changedBy(parts, call, { id, edit: (before) => changeConnection(before, id, change) })
    },
  })
}

function switchRoute(parts: RoutingApiParts, isActive: boolean): Route {
  const word = isActive ? 'enable' : 'disable'
  return route({
    method: 'POST',
    path: `/connections/{id}/${word}`,
    operationId: `${word}Connection`,
    summary: isActive
      ? 'Enables a connection, so that its models are listed'
      : 'Disables a connection, so that its models are not listed',
    params,
    reply: changedConnection,
    async answer(call) {
      const { id } = call.params
      return changedBy(parts, call, { id, edit: (before) => setActive(before, id, isActive) })
    },
  })
}

/** Changes a connection, and returns it with its warnings. */
async function changedBy(
  { store, sealer, catalogue }: RoutingApiParts,
  call: Pick<Call<unknown, unknown, unknown>, 'request' | 'replyHeaders'>,
  { id, edit }: { readonly id: string; readonly edit: RoutingEdit },
) {
  const state = await applyEdit(store, edit, call)
  const answer = toConnectionAnswer(findConnection(state, id), sealer)
  return { ...answer, warnings: itemWarnings(state, catalogue, { set: 'connections', key: id }) }
}

function reorderRoute({ store, sealer, catalogue }: RoutingApiParts): Route {
  return route({
    method: 'POST',
    path: '/connections/reorder',
    operationId: 'reorderConnections',
    summary: 'Moves connections to the front, in this order',
    body: connectionOrder,
    reply: warnedRouting,
    async answer(call) {
      const edit: RoutingEdit = (before) => reorderConnections(before, call.body.ids)
      return toWarnedRouting(await applyEdit(store, edit, call), { sealer, catalogue })
    },
  })
}

function deleteRoute({ store }: RoutingApiParts): Route {
  return route({
    method: 'DELETE',
    path: '/connections/{id}',
    operationId: 'deleteConnection',
    summary: 'Deletes a connection',
    params,
    status: 204,
    async answer(call) {
      await applyEdit(store, (before) => removeConnection(before, call.params.id), call)
    },
  })
}

function testRoute({ store, sealer, probe }: RoutingApiParts): Route {
  return route({
    method: 'POST',
    path: '/connections/{id}/test',
    operationId: 'testConnection',
    summary: 'Tests a connection by requesting its models',
    params,
    reply: probeReport,
    async answer({ params: { id } }) {
      const { state } = await store.read()
      const { connection, isReadable } = openConnection(findConnection(state, id), sealer)
      return isReadable ? probe(connection) : unreadable
    },
  })
}

const unreadable: ProbeReport = {
  outcome: 'untested',
  message:
    'The stored API key or header fields cannot be read because SECRET_KEY has changed. Restore SECRET_KEY or enter them again.',
  durationMs: 0,
}
