import type { JsonApp } from '../../json-api/json-app.ts'
import { refusals } from '../../json-api/refusals.ts'
import { toRoutingAnswer, toWarnedRouting } from './answers.ts'
import { maxBodyBytes } from './limits.ts'
import { applyEdit, tagReply } from './route-replies.ts'
import type { RoutingApiParts } from './routing-api-parts.ts'
import { routingAnswer, routingInput, warnedRouting } from './routing-schemas.ts'
import type { RoutingEdit } from './routing-store.ts'
import { wholeState } from './whole-state.ts'

/** The whole state: docs/contract/model-list.md, "Stored inputs". */
export function stateRoutes(
  app: JsonApp,
  { store, sealer, catalogue, now }: RoutingApiParts,
): void {
  app.get(
    '',
    {
      schema: {
        operationId: 'getRouting',
        summary: 'Returns the sources of the model list',
        response: { 200: warnedRouting, ...refusals },
      },
    },
    async (_request, reply) => {
      const { revision, state } = await store.read()
      tagReply(reply, revision)
      return toWarnedRouting(state, { sealer, catalogue })
    },
  )

  app.put(
    '',
    {
      bodyLimit: maxBodyBytes,
      schema: {
        operationId: 'putRouting',
        summary: 'Replaces the sources of the model list, all or nothing',
        body: routingInput,
        response: { 200: warnedRouting, ...refusals },
      },
    },
    async (request, reply) => {
      const parts = { sealer, nowMs: now() }
      const edit: RoutingEdit = (before) => wholeState(request.body, before, parts)
      const state = await applyEdit(store, edit, request, reply)
      return toWarnedRouting(state, { sealer, catalogue })
    },
  )

  app.get(
    '/export',
    {
      schema: {
        operationId: 'exportRouting',
        summary: 'Exports the sources of the model list as a file, with masked keys',
        response: { 200: routingAnswer, ...refusals },
      },
    },
    async (_request, reply) => {
      const { state } = await store.read()
      reply.header('content-disposition', 'attachment; filename="bucketry-routing.json"')
      return toRoutingAnswer(state, sealer)
    },
  )
}
