import { z } from 'zod'
import type { JsonApp } from '../../json-api/json-app.ts'
import { refusals } from '../../json-api/refusals.ts'
import type { RoutingSet } from '../../state/stores/routing.ts'
import type { Combo, CustomModel } from '../routing-inputs.ts'
import { comboAnswer, customModelAnswer } from './answers.ts'
import { serviceKind } from './field-schemas.ts'
import { itemWarnings } from './field-warnings.ts'
import {
  addItem,
  comboKind,
  comboOf,
  customModelKind,
  customModelOf,
  type ItemKind,
  modelAliasKind,
  removeItem,
  replaceItem,
} from './item-edits.ts'
import { expectedRevision, tagReply } from './route-replies.ts'
import type { RoutingApiParts } from './routing-api-parts.ts'
import {
  type ComboInput,
  type CustomModelInput,
  changedCombo,
  changedCustomModel,
  changedModelAlias,
  comboInput,
  customModelInput,
  modelAliasInput,
} from './routing-schemas.ts'
import type { RoutingEdit } from './routing-store.ts'
import {
  customModelKey,
  type ModelAlias,
  type StoredRouting,
  withoutBroken,
} from './stored-routing.ts'

/** Describes the HTTP resource of an item kind. */
interface ItemResource<Item, Input, Key> {
  readonly set: RoutingSet
  readonly kind: ItemKind<Item>
  /** For operation ids: `Combo`. */
  readonly name: string
  /** For messages: `combo`. */
  readonly label: string
  readonly path: string
  /** Below `path`: the parameters of an item. */
  readonly keyPath: string
  readonly keySchema: z.ZodType<Key>
  readonly keyOf: (key: Key) => string
  readonly inputSchema: z.ZodType<Input>
  readonly itemOf: (input: Input) => Item
  readonly answerSchema: z.ZodType
  readonly answerOf: (item: Item) => object
  readonly itemsOf: (state: StoredRouting) => readonly Item[]
  readonly withItems: (state: StoredRouting, items: readonly Item[]) => StoredRouting
}

const nameKey = z.object({ name: z.string() })
const customModelKeySchema = z.object({
  type: serviceKind,
  providerAlias: z.string(),
  id: z.string(),
})

const combos: ItemResource<Combo, ComboInput, z.output<typeof nameKey>> = {
  set: 'combos',
  kind: comboKind,
  name: 'Combo',
  label: 'combo',
  path: '/combos',
  keyPath: '/:name',
  keySchema: nameKey,
  keyOf: ({ name }) => name,
  inputSchema: comboInput,
  itemOf: comboOf,
  answerSchema: changedCombo,
  answerOf: comboAnswer,
  itemsOf: (state) => state.combos,
  withItems: (state, items) => ({ ...state, combos: items }),
}

const customModels: ItemResource<
  CustomModel,
  CustomModelInput,
  z.output<typeof customModelKeySchema>
> = {
  set: 'customModels',
  kind: customModelKind,
  name: 'CustomModel',
  label: 'custom model',
  path: '/custom-models',
  keyPath: '/:type/:providerAlias/:id',
  keySchema: customModelKeySchema,
  keyOf: customModelKey,
  inputSchema: customModelInput,
  itemOf: customModelOf,
  answerSchema: changedCustomModel,
  answerOf: customModelAnswer,
  itemsOf: (state) => state.customModels,
  withItems: (state, items) => ({ ...state, customModels: items }),
}

const modelAliases: ItemResource<ModelAlias, ModelAlias, z.output<typeof nameKey>> = {
  set: 'modelAliases',
  kind: modelAliasKind,
  name: 'ModelAlias',
  label: 'model alias',
  path: '/model-aliases',
  keyPath: '/:name',
  keySchema: nameKey,
  keyOf: ({ name }) => name,
  inputSchema: modelAliasInput,
  itemOf: (alias) => alias,
  answerSchema: changedModelAlias,
  answerOf: (alias) => alias,
  itemsOf: (state) => state.modelAliases,
  withItems: (state, items) => ({ ...state, modelAliases: items }),
}

/** Create, replace and delete single combos, custom models and model aliases. */
export function itemRoutes(app: JsonApp, parts: RoutingApiParts): void {
  routesOf(app, parts, combos)
  routesOf(app, parts, customModels)
  routesOf(app, parts, modelAliases)
}

function routesOf<Item, Input, Key>(
  app: JsonApp,
  { store, catalogue }: RoutingApiParts,
  resource: ItemResource<Item, Input, Key>,
): void {
  const { set, kind, name, label, path, keyPath, keySchema, inputSchema, answerSchema } = resource
  const answerOf = (state: StoredRouting, item: Item) => ({
    ...resource.answerOf(item),
    warnings: itemWarnings(state, catalogue, { set, key: kind.keyOf(item) }),
  })
  app.post(
    path,
    {
      schema: {
        operationId: `create${name}`,
        summary: `Creates a ${label}`,
        body: inputSchema,
        response: { 201: answerSchema, ...refusals },
      },
    },
    async (request, reply) => {
      const item = resource.itemOf(request.body as Input)
      const change = editOf(resource, (items) => addItem(kind, items, item))
      const { revision, state } = await store.change(change, expectedRevision(request))
      tagReply(reply, revision)
      return reply.code(201).send(answerOf(state, item))
    },
  )

  app.put(
    path + keyPath,
    {
      schema: {
        operationId: `replace${name}`,
        summary: `Replaces a ${label}`,
        params: keySchema,
        body: inputSchema,
        response: { 200: answerSchema, ...refusals },
      },
    },
    async (request, reply) => {
      const key = resource.keyOf(request.params as Key)
      const item = resource.itemOf(request.body as Input)
      const change = replacing(resource, key, item)
      const { revision, state } = await store.change(change, expectedRevision(request))
      tagReply(reply, revision)
      return reply.send(answerOf(state, item))
    },
  )

  app.delete(
    path + keyPath,
    {
      schema: {
        operationId: `delete${name}`,
        summary: `Deletes a ${label}`,
        params: keySchema,
        response: { 204: z.null(), ...refusals },
      },
    },
    async (request, reply) => {
      const key = resource.keyOf(request.params as Key)
      const change = removing(resource, key)
      const { revision } = await store.change(change, expectedRevision(request))
      tagReply(reply, revision)
      return reply.code(204).send(null)
    },
  )
}

type AnyResource<Item> = Pick<
  ItemResource<Item, never, never>,
  'set' | 'kind' | 'itemsOf' | 'withItems'
>

function editOf<Item>(
  { itemsOf, withItems }: AnyResource<Item>,
  change: (items: readonly Item[]) => readonly Item[],
): RoutingEdit {
  return (state) => withItems(state, change(itemsOf(state)))
}

/** Replacing an unreadable row creates a new item. */
function replacing<Item>(resource: AnyResource<Item>, key: string, item: Item): RoutingEdit {
  const add = editOf(resource, (items) => addItem(resource.kind, items, item))
  const replace = editOf(resource, (items) => replaceItem(resource.kind, items, { key, item }))
  return (state) => {
    const healthy = withoutBroken(state, resource.set, key)
    return healthy === undefined ? replace(state) : add(healthy)
  }
}

function removing<Item>(resource: AnyResource<Item>, key: string): RoutingEdit {
  const remove = editOf(resource, (items) => removeItem(resource.kind, items, key))
  return (state) => withoutBroken(state, resource.set, key) ?? remove(state)
}
