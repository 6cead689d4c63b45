import { z } from 'zod'
import { type Route, route } from '../../platform/json-api/route.ts'
import { serviceKind } from './field-schemas.ts'
import { itemWarnings } from './field-warnings.ts'
import { addItem, type ItemKind, type ItemSet, removeItem, replaceItem } from './item-edits.ts'
import { applyEdit, type RoutingApiParts } from './route-replies.ts'
import {
  changedCombo,
  changedCustomModel,
  changedModelAlias,
  comboInput,
  customModelInput,
  modelAliasInput,
} from './routing-schemas.ts'
import { itemKeys, type RoutingItems, type StoredRouting } from './stored-routing.ts'

/** Describes the HTTP resource of a set. */
interface ItemResource<Set extends ItemSet> extends ItemKind<Set> {
  /** For operation ids: `Combo`. */
  readonly name: string
  readonly path: string
  /** Below `path`: the parameters of an item. */
  readonly keyPath: string
  /** The fields of an item that its key consists of. */
  readonly keySchema: z.ZodType
  readonly inputSchema: z.ZodType<RoutingItems[Set]>
  readonly answerSchema: z.ZodType
}

const combos: ItemResource<'combos'> = {
  set: 'combos',
  noun: 'combo',
  name: 'Combo',
  path: '/combos',
  keyPath: '/{name}',
  keyField: 'name',
  keySchema: z.object({ name: z.string() }),
  inputSchema: comboInput,
  answerSchema: changedCombo,
}

const customModels: ItemResource<'customModels'> = {
  set: 'customModels',
  noun: 'custom model',
  name: 'CustomModel',
  path: '/custom-models',
  keyPath: '/{type}/{providerAlias}/{id}',
  keyField: 'id',
  keySchema: z.object({ type: serviceKind, providerAlias: z.string(), id: z.string() }),
  inputSchema: customModelInput,
  answerSchema: changedCustomModel,
}

const modelAliases: ItemResource<'modelAliases'> = {
  set: 'modelAliases',
  noun: 'model alias',
  name: 'ModelAlias',
  path: '/model-aliases',
  keyPath: '/{name}',
  keyField: 'name',
  keySchema: z.object({ name: z.string() }),
  inputSchema: modelAliasInput,
  answerSchema: changedModelAlias,
}

/** Create, replace and delete single combos, custom models and model aliases. */
export function itemRoutes(parts: RoutingApiParts): readonly Route[] {
  return [
    ...routesOf(parts, combos),
    ...routesOf(parts, customModels),
    ...routesOf(parts, modelAliases),
  ]
}

function routesOf<Set extends ItemSet>(
  { store, catalogue }: RoutingApiParts,
  resource: ItemResource<Set>,
): readonly Route[] {
  const { set, noun, name, path, keyPath, keySchema, inputSchema, answerSchema } = resource
  const keyOf = (item: unknown) => itemKeys[set](item as RoutingItems[Set])
  const answerOf = (state: StoredRouting, item: RoutingItems[Set]) => ({
    ...item,
    warnings: itemWarnings(state, catalogue, { set, key: keyOf(item) }),
  })
  const create = route({
    method: 'POST',
    path,
    operationId: `create${name}`,
    summary: `Creates a ${noun}`,
    body: inputSchema,
    status: 201,
    reply: answerSchema,
    async answer(call) {
      return answerOf(await applyEdit(store, addItem(resource, call.body), call), call.body)
    },
  })
  const replace = route({
    method: 'PUT',
    path: path + keyPath,
    operationId: `replace${name}`,
    summary: `Replaces a ${noun}`,
    params: keySchema,
    body: inputSchema,
    reply: answerSchema,
    async answer(call) {
      const edit = replaceItem(resource, keyOf(call.params), call.body)
      return answerOf(await applyEdit(store, edit, call), call.body)
    },
  })
  const remove = route({
    method: 'DELETE',
    path: path + keyPath,
    operationId: `delete${name}`,
    summary: `Deletes a ${noun}`,
    params: keySchema,
    status: 204,
    async answer(call) {
      await applyEdit(store, removeItem(resource, keyOf(call.params)), call)
    },
  })
  return [create, replace, remove]
}
