import { z } from 'zod'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { type Access, type Route, route, routesBelow } from '../../platform/json-api/route.ts'
import type { Pauses } from '../calls/failures/pauses.ts'
import type { ActiveConnection } from '../list/stored-rows.ts'
import type { ModelUsageTable, UsageRow } from './usage-table.ts'

interface UsageRoutesParts {
  readonly table: Pick<ModelUsageTable, 'read'>
  /** Stores what this process has counted so far. */
  readonly flush: () => Promise<void>
  readonly pauses: Pick<Pauses, 'list' | 'end'>
  readonly connections: () => Promise<readonly ActiveConnection[]>
  /** Admits requests with a valid session. */
  readonly session: Access
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

const dayMs = 86_400_000
const hourMs = 3_600_000
const defaultDays = 30
const maxRows = 10_000
/** The first time with a year of four digits. */
const firstMs = Date.parse('0000-01-01T00:00:00Z')

const time = z.iso.datetime()
const count = z.int()

const usageReply = z.object({
  from: time,
  to: time,
  rows: z.array(
    z.object({
      from: time.meta({ description: 'The beginning of the day or hour, UTC.' }),
      keyId: z.string().meta({ description: 'The model key; empty: MODELS_API_KEY.' }),
      connectionId: z.string(),
      model: z.string().meta({ description: 'The ID in the list.' }),
      requests: count.meta({ description: 'Attempts: a call with fallbacks has several.' }),
      errors: count,
      fallbacks: count.meta({ description: 'Attempts that were followed by another one.' }),
      inputTokens: count.meta({ description: 'As the upstream reported them.' }),
      outputTokens: count.meta({ description: 'As the upstream reported them.' }),
      dollars: z.number().meta({
        description: 'US dollars: as the upstream reported them, otherwise tokens by their price.',
      }),
      receivedBytes: count,
      sentBytes: count,
      firstByteMs: z
        .number()
        .meta({ description: 'Mean time to the first byte of an answer, in milliseconds.' }),
    }),
  ),
  isCut: z.boolean().meta({ description: `Whether there are more than ${maxRows} rows.` }),
})

/** The reply of `GET /-/api/usage`. */
export type UsageReply = z.infer<typeof usageReply>

const pausesReply = z.object({
  pauses: z.array(
    z.object({
      connectionId: z.string(),
      model: z.string().nullable().meta({ description: "The provider's ID. null: all models." }),
      path: z.string().nullable().meta({ description: 'The path below /v1. null: all paths.' }),
      scope: z.enum(['request', 'model', 'quota', 'connection', 'moment']),
      reason: z.string(),
      status: count.meta({ description: 'HTTP status of the failure.' }),
      until: time,
    }),
  ),
})

/** The reply of `GET /-/api/routing/pauses`. */
export type PausesReply = z.infer<typeof pausesReply>

/** What calls used, and what is paused after failures. */
export function usageRoutes({
  table,
  flush,
  pauses,
  connections,
  session,
  now,
}: UsageRoutesParts): readonly Route[] {
  const usage = route({
    method: 'GET',
    path: '/usage',
    operationId: 'getModelUsage',
    summary: 'Returns the usage of model calls by key, connection, model and day or hour',
    description: 'Kept for a year. Figures of other processes may be ten seconds old.',
    query: z.strictObject({
      from: time.optional().meta({ description: 'Default: 30 days ago.' }),
      to: time.optional().meta({ description: 'Default: now.' }),
      by: z.enum(['day', 'hour']).default('day'),
    }),
    reply: usageReply,
    async answer({ query: { from, to, by } }) {
      const toMs = to === undefined ? now() : Date.parse(to)
      const fromMs =
        from === undefined ? Math.max(firstMs, toMs - defaultDays * dayMs) : Date.parse(from)
      if (fromMs > toMs) throw new ApiError(400, 'Expected a time before `to`.', { field: 'from' })
      await flush()
      const stepMs = by === 'day' ? dayMs : hourMs
      const range = { fromMs: Math.floor(fromMs / stepMs) * stepMs, toMs, limit: maxRows + 1 }
      const rows = await table.read(by, range)
      return {
        ...{ from: timeOf(range.fromMs), to: timeOf(toMs) },
        rows: rows.slice(0, maxRows).map(rowOf),
        isCut: rows.length > maxRows,
      }
    },
  })
  const ofPauses = pauseRoutes({ pauses, connections })
  return routesBelow('/-/api', { tag: 'calls', access: session }, [usage, ...ofPauses])
}

function pauseRoutes({
  pauses,
  connections,
}: Pick<UsageRoutesParts, 'pauses' | 'connections'>): readonly Route[] {
  const list = route({
    method: 'GET',
    path: '/routing/pauses',
    operationId: 'getModelPauses',
    summary: 'Lists connections, and models of connections, that are paused after failures',
    description:
      'Those of the process that answers: each process has its own. A refused key is listed until it is accepted, even after `until`.',
    reply: pausesReply,
    answer: async () => ({
      pauses: pauses
        .list(await connections())
        .map(({ model = null, path = null, untilMs, ...rest }) => {
          return { ...rest, model, path, until: timeOf(untilMs) }
        }),
    }),
  })
  const retry = route({
    method: 'DELETE',
    path: '/routing/pauses/{connectionId}',
    operationId: 'endModelPauses',
    summary: 'Ends the pauses of a connection and its models',
    description:
      'Only in the process that answers. The pauses of other processes end at their own time.',
    params: z.object({ connectionId: z.string() }),
    status: 204,
    answer: async ({ params }) => pauses.end(params.connectionId),
  })
  return [list, retry]
}

function rowOf({ fromMs, firstByteMs, costMicros, ...row }: UsageRow) {
  return {
    ...row,
    dollars: costMicros / 1e6,
    from: timeOf(fromMs),
    firstByteMs: Math.round(firstByteMs / Math.max(1, row.requests)),
  }
}

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString()
}
