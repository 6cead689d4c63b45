import { z } from 'zod'
import type { JsonApp } from '../../json-api/json-app.ts'
import { refusals } from '../../json-api/refusals.ts'
import { serviceKind } from './field-schemas.ts'
import { itemWarnings } from './field-warnings.ts'
import { addItem, type ItemKind, type ItemSet, removeItem, replaceItem } from './item-edits.ts'
import { applyEdit } from './route-replies.ts'
import type { RoutingApiParts } from './routing-api-parts.ts'
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
  keyPath: '/:name',
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
  keyPath: '/:type/:providerAlias/:id',
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
  keyPath: '/:name',
  keyField: 'name',
  keySchema: z.object({ name: z.string() }),
  inputSchema: modelAliasInput,
  answerSchema: changedModelAlias,
}

/** Create, replace and delete single combos, custom models and model aliases. */
export function itemRoutes(app: JsonApp, parts: RoutingApiParts): void {
  routesOf(app, parts, combos)
  routesOf(app, parts, customModels)
  routesOf(app, parts, modelAliases)
}

function routesOf<Set extends ItemSet>(
  app: JsonApp,
  { store, catalogue }: RoutingApiParts,
  resource: ItemResource<Set>,
): void {
  const { set, noun, name, path, keyPath, keySchema, inputSchema, answerSchema } = resource
  const keyOf = (item: unknown) => itemKeys[set](item as RoutingItems[Set])
  const answerOf = (state: StoredRouting, item: RoutingItems[Set]) => ({
    ...item,
    warnings: itemWarnings(state, catalogue, { set, key: keyOf(item) }),
  })
  app.post(
    path,
    {
      schema: {
        operationId: `create${name}`,
        summary: `Creates a ${noun}`,
        body: inputSchema,
        response: { 201: answerSchema, ...refusals },
      },
    },
    async (request, reply) => {
      const item = request.body as RoutingItems[Set]
      const state = await applyEdit(store, addItem(resource, item), request, reply)
      return reply.code(201).send(answerOf(state, item))
    },
  )

  app.put(
    path + keyPath,
    {
      schema: {
        operationId: `replace${name}`,
        summary: `Replaces a ${noun}`,
        params: keySchema,
        body: inputSchema,
        response: { 200: answerSchema, ...refusals },
      },
    },
    async (request, reply) => {
      const item = request.body as RoutingItems[Set]
      const edit = replaceItem(resource, keyOf(request.params), item)
      return reply.send(answerOf(await applyEdit(store, edit, request, reply), item))
    },
  )

  app.delete(
    path + keyPath,
    {
      schema: {
        operationId: `delete${name}`,
        summary: `Deletes a ${noun}`,
        params: keySchema,
        response: { 204: z.null(), ...refusals },
      },
    },
    async (request, reply) => {
      await applyEdit(store, removeItem(resource, keyOf(request.params)), request, reply)
      return reply.code(204).send(null)
    },
  )
}
