import { type Route, route } from '../../json-api/route.ts'
import { toRoutingAnswer, toWarnedRouting } from './answers.ts'
import { maxBodyBytes } from './limits.ts'
import { applyEdit, tagReply } from './route-replies.ts'
import type { RoutingApiParts } from './routing-api-parts.ts'
import { routingAnswer, routingInput, warnedRouting } from './routing-schemas.ts'
import type { RoutingEdit } from './routing-store.ts'
import { wholeState } from './whole-state.ts'

/** The whole state: docs/contract/model-list.md, "Stored inputs". */
export function stateRoutes({ store, sealer, catalogue, now }: RoutingApiParts): readonly Route[] {
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
