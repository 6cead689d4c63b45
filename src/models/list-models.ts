import type { Catalogue } from './catalogue/catalogue.ts'
import { buildModelList } from './list/build-model-list.ts'
import type { ModelEntry } from './list/model-entry.ts'
import { type UpstreamQuestion, upstreamQuestions } from './list/upstream-questions.ts'
import type { ServiceKind } from './routing-inputs.ts'
import type { RoutingSource } from './routing-source.ts'
import { UpstreamError } from './upstream/upstream-error.ts'
import type { Upstreams } from './upstream/upstreams.ts'

/** Gets what goes wrong without anybody being told. Never a key. */
export interface ModelListLog {
  warn(fields: object, message: string): void
  debug(fields: object, message: string): void
}

export interface ModelListParts {
  readonly source: RoutingSource
  readonly catalogue: Catalogue
  readonly upstreams: Pick<Upstreams, 'modelIds'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly log: ModelListLog
}

export interface ModelQuery {
  readonly filter: ReadonlySet<ServiceKind>
  /** How many gateways the question has passed before this one. */
  readonly hops: number
}

/**
 * A gateway that got a question through so many others asks no upstream: gateways that are each
 * other's upstream would else ask until their timeouts, and list nothing of each other. More than
 * one, so that a gateway behind a gateway still lists its own upstreams.
 */
const maxHops = 3

/** Loads the inputs, asks the upstreams that the list needs, and builds it. */
export async function listModels(
  parts: ModelListParts,
  { filter, hops }: ModelQuery,
): Promise<readonly ModelEntry[]> {
  const { source, catalogue, log } = parts
  const load = tolerantLoader(log)
  const [connections, combos, customModels, modelAliases] = await Promise.all([
    load('connections', () => source.connections(), []),
    load('combos', () => source.combos(), []),
    load('custom models', () => source.customModels(), []),
    load('model aliases', () => source.modelAliases(), {}),
  ])
  const asked = hops < maxHops ? upstreamQuestions({ filter, connections, catalogue }) : []
  const upstreamIds = new Map(
    await Promise.all(
      asked.map(async (question) => {
        return [question.connectionId, await answerOf(question, hops, parts)] as const
      }),
    ),
  )
  return buildModelList({
    filter,
    connections,
    combos,
    customModels,
    modelAliases,
    catalogue,
    upstreamIds,
    nowMs: parts.now(),
  })
}

/** Rule 1: a load failure is treated as an empty set. */
function tolerantLoader(log: ModelListLog) {
  return async <Rows extends object>(
    input: string,
    load: () => Promise<Rows>,
    empty: Rows,
  ): Promise<Rows> => {
    try {
      const rows = await load()
      const isUsable = typeof rows === 'object' && rows !== null
      if (isUsable && Array.isArray(rows) === Array.isArray(empty)) return rows
      throw new TypeError(`${input} were expected, not ${typeof rows}`)
    } catch (err) {
      log.warn({ input, err }, 'the model list is built without an input that failed to load')
      return empty
    }
  }
}

/** Upstream id fetch, step 5: any failure yields an empty list. */
async function answerOf(
  { connectionId, ...upstream }: UpstreamQuestion,
  hops: number,
  { upstreams, log }: ModelListParts,
): Promise<readonly string[]> {
  try {
    return await upstreams.modelIds(upstream, hops)
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    const { code, status, detail } = error
    log.debug({ connectionId, code, status, detail }, 'an upstream gave no models')
    return []
  }
}
