import { z } from 'zod'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { type Route, route } from '../../platform/json-api/route.ts'
import { serviceKind } from './field-schemas.ts'
import { applyEdit, itemWarnings, type RoutingApiParts } from './route-replies.ts'
import {
  changedCombo,
  changedCustomModel,
  changedModelAlias,
  comboInput,
  customModelInput,
  modelAliasInput,
} from './routing-schemas.ts'
import type { RoutingEdit } from './routing-store.ts'
import {
  type ItemLists,
  itemKeys,
  type RoutingItems,
  type StoredRouting,
  withoutBroken,
} from './stored-routing.ts'

/** The sets that can be changed item by item as a whole; connections are changed field by field. */
type ItemSet = 'combos' | 'customModels' | 'modelAliases'

/** Describes the HTTP resource of a set. */
interface ItemResource<Set extends ItemSet> {
  readonly set: Set
  /** For messages: `combo`. */
  readonly noun: string
  /** For operation ids: `Combo`. */
  readonly name: string
  readonly path: string
  /** The fields of an item that its key consists of, in the order of its path. */
  readonly key: z.ZodObject
  readonly inputSchema: z.ZodType<RoutingItems[Set]>
  readonly answerSchema: z.ZodType
}

const combos: ItemResource<'combos'> = {
  set: 'combos',
  noun: 'combo',
  name: 'Combo',
  path: '/combos',
  key: z.object({ name: z.string() }),
  inputSchema: comboInput,
  answerSchema: changedCombo,
}

const customModels: ItemResource<'customModels'> = {
  set: 'customModels',
  noun: 'custom model',
  name: 'CustomModel',
  path: '/custom-models',
  key: z.object({ type: serviceKind, providerAlias: z.string(), id: z.string() }),
  inputSchema: customModelInput,
  answerSchema: changedCustomModel,
}

const modelAliases: ItemResource<'modelAliases'> = {
  set: 'modelAliases',
  noun: 'model alias',
  name: 'ModelAlias',
  path: '/model-aliases',
  key: z.object({ name: z.string() }),
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
  const { set, noun, name, path, key, inputSchema, answerSchema } = resource
  const keyPath = Object.keys(key.shape)
    .map((field) => `/{${field}}`)
    .join('')
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
    params: key,
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
    params: key,
    status: 204,
    async answer(call) {
      await applyEdit(store, removeItem(resource, keyOf(call.params)), call)
    },
  })
  return [create, replace, remove]
}

/** @throws ApiError 409 if the key exists. */
function addItem<Set extends ItemSet>(
  kind: ItemResource<Set>,
  item: RoutingItems[Set],
): RoutingEdit {
  return (state) => {
    const items: ItemLists[Set] = state[kind.set]
    assertFree(kind, items, item)
    return { ...state, [kind.set]: [...items, item] }
  }
}

/**
 * Replacing an unreadable row creates a new item.
 *
 * @throws ApiError 404 if `key` does not exist, 409 if another item has the new key.
 */
function replaceItem<Set extends ItemSet>(
  kind: ItemResource<Set>,
  key: string,
  item: RoutingItems[Set],
): RoutingEdit {
  return (state) => {
    const healthy = withoutBroken(state, kind.set, key)
    if (healthy !== undefined) return addItem(kind, item)(healthy)
    const items: ItemLists[Set] = state[kind.set]
    const index = indexOf(kind, items, key)
    if (itemKeys[kind.set](item) !== key) assertFree(kind, items, item)
    return { ...state, [kind.set]: items.with(index, item) }
  }
}

/** @throws ApiError 404 if `key` does not exist. */
function removeItem<Set extends ItemSet>(kind: ItemResource<Set>, key: string): RoutingEdit {
  return (state) => {
    const items: ItemLists[Set] = state[kind.set]
    return (
      withoutBroken(state, kind.set, key) ?? {
        ...state,
        [kind.set]: items.toSpliced(indexOf(kind, items, key), 1),
      }
    )
  }
}

function indexOf<Set extends ItemSet>(
  { set, noun }: ItemResource<Set>,
  items: ItemLists[Set],
  key: string,
): number {
  const index = items.findIndex((item) => itemKeys[set](item) === key)
  if (index < 0) throw new ApiError(404, `The ${noun} does not exist.`)
  return index
}

function assertFree<Set extends ItemSet>(
  { set, noun, key: { shape } }: ItemResource<Set>,
  items: ItemLists[Set],
  item: RoutingItems[Set],
): void {
  const key = itemKeys[set](item)
  if (!items.some((other) => itemKeys[set](other) === key)) return
  // The last one is the name or id, which a client has to change.
  throw new ApiError(409, `The ${noun} already exists.`, { field: Object.keys(shape).at(-1) })
}
