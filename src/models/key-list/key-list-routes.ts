import { z } from 'zod'
import type { HttpRequest } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { JsonBytes, type Route, route, routesBelow } from '../../platform/json-api/route.ts'
import type { CallAccess } from '../calls/call-access.ts'
import { listError } from '../list/list-schemas.ts'
import { modelFacts } from '../list/model-facts.ts'
import { listPreflightHeaders, preflight } from '../list/model-list-api.ts'
import type { KeyList } from './key-list.ts'
import { anthropicEntry, openAiEntry } from './list-forms.ts'

interface KeyListRoutesParts {
  readonly list: Pick<KeyList, 'list' | 'page' | 'find'>
  readonly access: Pick<CallAccess, 'admitToKeyList' | 'of'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

const path = '/ai/v1/models'

// `*` does not stand for Authorization (Fetch standard, "CORS-preflight fetch").
const preflightHeaders = {
  ...listPreflightHeaders,
  'access-control-allow-headers': 'authorization, *',
}

/** The kinds that can be called. */
const kinds = ['llm', 'imageToText', 'embedding', 'image', 'tts', 'stt'] as const

/** Other parameters are ignored. */
const listQuery = z.looseObject({
  type: z.enum(kinds).optional().describe("Default: all kinds; in Anthropic's form llm"),
  client_version: z.string().optional().describe('Adds `models` in the form of Codex'),
  limit: z.string().optional().describe("In Anthropic's form: 1 to 1000, default 20"),
  after_id: z.string().optional().describe("In Anthropic's form"),
  before_id: z.string().optional().describe("In Anthropic's form"),
})

const entry = z.looseObject({
  id: z.string(),
  object: z.literal('model'),
  owned_by: z.string().describe('`combo`, `alias`, or the alias of the provider'),
  type: z.enum(kinds),
  display_name: z.string().optional(),
  ...modelFacts.unwrap().shape,
  created: z.int(),
})

const anthropicForm = z.looseObject({
  type: z.literal('model'),
  id: z.string(),
  display_name: z.string(),
  created_at: z.string(),
  max_input_tokens: z.int().optional(),
  max_tokens: z.int().optional(),
})

const anthropicList = z.object({
  data: z.array(anthropicForm),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
})

/** The list of the models that the key of a request may call. Requests with anthropic-version get Anthropic's form. */
export function keyListRoutes({ list, access, now }: KeyListRoutesParts): readonly Route[] {
  const listed = route({
    method: 'GET',
    path,
    operationId: 'listKeyModels',
    summary: 'Lists the models of all kinds, combos and aliases that the key may call',
    description: "With the header field anthropic-version, a page in Anthropic's form.",
    query: listQuery,
    reply: z.union([z.object({ object: z.literal('list'), data: z.array(entry) }), anthropicList]),
    async answer({ request, query: { type: kind, client_version, limit, after_id, before_id } }) {
      const { patterns } = access.of(request)
      if (isForAnthropic(request)) {
        const page = { limit: limitOf(limit), after_id, before_id }
        return bytesOf(await list.page({ kind: kind ?? 'llm', patterns }, page))
      }
      const forCodex = client_version !== undefined
      return new JsonBytes(await list.list({ kind, patterns }, { forCodex }))
    },
  })
  const retrieve = route({
    method: 'GET',
    path: `${path}/{id+}`,
    operationId: 'retrieveKeyModel',
    summary: 'Returns a model, combo or alias that the key may call',
    params: z.object({ id: z.string().describe('With or without %2F') }),
    reply: z.union([entry, anthropicForm]),
    async answer({ request, params: { id } }) {
      const model = await list.find(id, access.of(request))
      if (isForAnthropic(request)) return bytesOf(anthropicEntry(model))
      return bytesOf(openAiEntry(model, Math.floor(now() / 1_000)))
    },
  })
  const reads = [listed, { ...listed, path: `${path}/`, isHidden: true }, retrieve]
  const security = [{ modelsKey: [] }, { modelsKeyHeader: [] }]
  const common = { tag: 'models', access: { security, admit: access.admitToKeyList } }
  return [
    ...routesBelow('', { ...common, errorSchema: listError }, reads),
    ...reads.map((read) => preflight(read.path, preflightHeaders)),
  ]
}

/** @throws ApiError 400 */
function limitOf(text = '20'): number {
  const limit = Number(text)
  if (/^\d+$/.test(text) && limit >= 1 && limit <= 1_000) return limit
  throw new ApiError(400, 'limit must be a number from 1 to 1000.', { field: 'limit' })
}

function isForAnthropic({ headers }: HttpRequest): boolean {
  return headers['anthropic-version'] !== undefined
}

function bytesOf(content: object): JsonBytes {
  return new JsonBytes(Buffer.from(JSON.stringify(content)))
}
