import { z } from 'zod'
import type { JsonApp } from '../../json-api/json-app.ts'
import { refusals } from '../../json-api/refusals.ts'
import type { Sealer } from '../../state/sealer.ts'
import { type ProbeReport, probeReport } from '../upstream/probe-report.ts'
import { toConnectionAnswer, toWarnedRouting } from './answers.ts'
import {
  addConnection,
  changeConnection,
  findConnection,
  givenConnection,
  removeConnection,
  reorderConnections,
  setActive,
} from './connection-edits.ts'
import { itemWarnings } from './field-warnings.ts'
import { randomConnectionId, randomProviderId } from './random-id.ts'
import { applyEdit } from './route-replies.ts'
import type { RoutingApiParts } from './routing-api-parts.ts'
import {
  changedConnection,
  connectionChange,
  connectionOrder,
  type NewConnection,
  newConnection,
  warnedRouting,
} from './routing-schemas.ts'
import type { RoutingEdit } from './routing-store.ts'
import type { StoredConnection, StoredRouting } from './stored-routing.ts'

const params = z.object({ id: z.string() })
const connectionResponse = { 200: changedConnection, ...refusals }

export function connectionRoutes(app: JsonApp, parts: RoutingApiParts): void {
  createRoute(app, parts)
  changeRoutes(app, parts)
  reorderRoute(app, parts)
  deleteRoute(app, parts)
  testRoute(app, parts)
}

function createRoute(app: JsonApp, parts: RoutingApiParts): void {
  const { store, sealer, now } = parts
  app.post(
    '/connections',
    {
      schema: {
        operationId: 'createConnection',
        summary: 'Creates a connection to a provider',
        body: newConnection,
        response: { 201: changedConnection, ...refusals },
      },
    },
    async (request, reply) => {
      const connection = connectionOf(request.body, { sealer, nowMs: now() })
      const edit: RoutingEdit = (before) => addConnection(before, connection)
      const state = await applyEdit(store, edit, request, reply)
      return reply.code(201).send(changedAnswer(parts, state, connection.id))
    },
  )
}

/** The schema ensures either a provider or a kind. */
function connectionOf(
  body: NewConnection,
  { sealer, nowMs }: { readonly sealer: Sealer; readonly nowMs: number },
): StoredConnection {
  const { kind = 'openai-compatible', name } = body
  const provider = body.provider ?? randomProviderId(kind, name ?? '')
  return givenConnection(
    { ...body, id: randomConnectionId(), provider, createdAtMs: nowMs },
    { sealer, nowMs, stored: undefined, field: 'apiKey' },
  )
}

function changeRoutes(app: JsonApp, parts: RoutingApiParts): void {
  const { store, sealer } = parts
  app.patch(
    '/connections/:id',
    {
      schema: {
        operationId: 'changeConnection',
        summary: 'Changes the given fields of a connection; null removes a field',
        params,
        body: connectionChange,
        response: connectionResponse,
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const change = { change: request.body, sealer }
      const edit: RoutingEdit = (before) => changeConnection(before, id, change)
      const state = await applyEdit(store, edit, request, reply)
      return changedAnswer(parts, state, id)
    },
  )

  for (const [word, summary, isActive] of [
    ['enable', 'Enables a connection, so that its models are listed', true],
    ['disable', 'Disables a connection, so that its models are not listed', false],
  ] as const) {
    app.post(
      `/connections/:id/${word}`,
      {
        schema: {
          ...{ operationId: `${word}Connection`, summary, params },
          response: connectionResponse,
        },
      },
      async (request, reply) => {
        const { id } = request.params
        const edit: RoutingEdit = (before) => setActive(before, id, isActive)
        const state = await applyEdit(store, edit, request, reply)
        return changedAnswer(parts, state, id)
      },
    )
  }
}

function changedAnswer({ sealer, catalogue }: RoutingApiParts, state: StoredRouting, id: string) {
  const answer = toConnectionAnswer(findConnection(state, id), sealer)
  return { ...answer, warnings: itemWarnings(state, catalogue, { set: 'connections', key: id }) }
}

function reorderRoute(app: JsonApp, { store, sealer, catalogue }: RoutingApiParts): void {
  app.post(
    '/connections/reorder',
    {
      schema: {
        operationId: 'reorderConnections',
        summary: 'Moves connections to the front, in this order',
        body: connectionOrder,
        response: { 200: warnedRouting, ...refusals },
      },
    },
    async (request, reply) => {
      const edit: RoutingEdit = (before) => reorderConnections(before, request.body.ids)
      const state = await applyEdit(store, edit, request, reply)
      return toWarnedRouting(state, { sealer, catalogue })
    },
  )
}

function deleteRoute(app: JsonApp, { store }: RoutingApiParts): void {
  app.delete(
    '/connections/:id',
    {
      schema: {
        operationId: 'deleteConnection',
        summary: 'Deletes a connection',
        params,
        response: { 204: z.null(), ...refusals },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const edit: RoutingEdit = (before) => removeConnection(before, id)
      await applyEdit(store, edit, request, reply)
      return reply.code(204).send(null)
    },
  )
}

function testRoute(app: JsonApp, { store, sealer, probe }: RoutingApiParts): void {
  app.post(
    '/connections/:id/test',
    {
      schema: {
        operationId: 'testConnection',
        summary: 'Tests a connection by requesting its models',
        params,
        response: { 200: probeReport, ...refusals },
      },
    },
    async ({ params: { id } }): Promise<ProbeReport> => {
      const { state } = await store.read()
      const { sealedKey, ...connection } = findConnection(state, id)
      if (sealedKey === undefined) return probe(connection)
      const apiKey = sealer.open(sealedKey, id)
      if (apiKey === undefined) return unreadableKey
      return probe({ ...connection, apiKey })
    },
  )
}

const unreadableKey: ProbeReport = {
  outcome: 'untested',
  message:
    'The stored API key cannot be read because SECRET_KEY has changed. Restore SECRET_KEY or enter the API key again.',
  durationMs: 0,
}
