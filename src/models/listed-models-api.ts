import type {} from '@fastify/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { JsonApp } from '../json-api/json-app.ts'
import { refusals } from '../json-api/refusals.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { connectionListing, listSchema } from './list-schemas.ts'
import { defaultKinds, kindsOfPath } from './listed-kinds.ts'
import { sendList } from './model-list-api.ts'
import type { ModelLists } from './model-lists.ts'

export interface ListedModelsParts {
  readonly lists: Pick<ModelLists, 'list' | 'connectionListings'>
  readonly catalogue: Catalogue
  /** Rejects requests without a valid session. */
  readonly requireSession: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
}

/** `chat` is `/v1/models` itself, the others are the paths below it. */
const listNames = ['chat', ...kindsOfPath.keys()] as const

const providersSchema = z.object({
  providers: z.array(z.object({ id: z.string(), alias: z.string(), models: z.int() })),
})
const listingsSchema = z.object({ connections: z.array(connectionListing).readonly() })
export type ListingsAnswer = z.output<typeof listingsSchema>

export type ProvidersAnswer = z.infer<typeof providersSchema>

/**
 * The model list API of the dashboard, a Fastify plugin to register with the prefix
 * `/-/api/routing`. Returns the same lists as `/v1/models`, but requires a session instead of
 * MODELS_API_KEY, which the browser does not have.
 */
export async function listedModelsApi(app: JsonApp, parts: ListedModelsParts): Promise<void> {
  const { lists, catalogue, requireSession } = parts
  const described = { tags: ['routing'], security: [{ session: [] }] }
  app.addHook('onRequest', requireSession)
  app.get(
    '/models/:list',
    {
      schema: {
        ...described,
        operationId: 'getListedModels',
        summary: 'Returns the lists of /v1/models and the paths below it',
        params: z.object({ list: z.enum(listNames) }),
        response: { 200: listSchema, ...refusals },
      },
    },
    async ({ params: { list } }, reply) =>
      sendList(lists, kindsOfPath.get(list) ?? defaultKinds, reply),
  )
  app.get(
    '/listings',
    {
      schema: {
        ...described,
        operationId: 'getConnectionListings',
        summary: 'Counts the listed models of each connection and explains what is missing',
        response: { 200: listingsSchema, ...refusals },
      },
    },
    async () => ({ connections: await lists.connectionListings() }),
  )
  const providers = catalogue.providers.map(({ id, alias, models }) => {
    return { id, alias, models: models.length }
  })
  app.get(
    '/providers',
    {
      schema: {
        ...described,
        operationId: 'getProviders',
        summary: 'Lists the providers of the catalogue',
        response: { 200: providersSchema, ...refusals },
      },
    },
    async () => ({ providers }),
  )
}
