import { z } from 'zod'
import {
  type Access,
  JsonBytes,
  type Route,
  route,
  routesBelow,
} from '../../platform/json-api/route.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { connectionListing, listSchema } from './list-schemas.ts'
import { defaultKinds, kindsOfPath } from './listed-kinds.ts'
import type { ModelLists } from './model-lists.ts'

interface ListedModelsParts {
  readonly lists: Pick<ModelLists, 'list' | 'connectionListings'>
  readonly catalogue: Catalogue
  /** Admits requests with a valid session. */
  readonly session: Access
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
 * The model list API of the dashboard. Returns the same lists as `/v1/models`, but requires a session
 * instead of MODELS_API_KEY, which the browser does not have.
 */
export function listedModelsApi({
  lists,
  catalogue,
  session,
}: ListedModelsParts): readonly Route[] {
  const providers = catalogue.providers.map(({ id, alias, models }) => {
    return { id, alias, models: models.length }
  })
  const listed = route({
    method: 'GET',
    path: '/models/{list}',
    operationId: 'getListedModels',
    summary: 'Returns the lists of /v1/models and the paths below it',
    params: z.object({ list: z.enum(listNames) }),
    reply: listSchema,
    answer: async ({ params: { list } }) =>
      new JsonBytes(await lists.list(kindsOfPath.get(list) ?? defaultKinds)),
  })
  const listings = route({
    method: 'GET',
    path: '/listings',
    operationId: 'getConnectionListings',
    summary: 'Counts the listed models of each connection and explains what is missing',
    reply: listingsSchema,
    answer: async () => ({ connections: await lists.connectionListings() }),
  })
  const known = route({
    method: 'GET',
    path: '/providers',
    operationId: 'getProviders',
    summary: 'Lists the providers of the catalogue',
    reply: providersSchema,
    answer: async () => ({ providers }),
  })
  return routesBelow('/-/api/routing', { tag: 'routing', access: session }, [
    listed,
    listings,
    known,
  ])
}
