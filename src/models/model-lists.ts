import type { Catalogue } from './catalogue/catalogue.ts'
import { buildModelList, type ModelListInputs } from './list/build-model-list.ts'
import { connectionListings } from './list/connection-listing.ts'
import { type ListedProvider, listedConnections } from './list/listed-provider.ts'
import { type UpstreamQuestion, upstreamQuestions } from './list/upstream-questions.ts'
import { ListCache, listJson } from './list-cache.ts'
import type { ConnectionListing, ModelEntry } from './list-schemas.ts'
import { type ServiceKind, serviceKinds } from './routing-inputs.ts'
import type { RoutingSource } from './routing-source.ts'
import { type LoadLog, TolerantLoader } from './tolerant-loader.ts'
import { UpstreamError } from './upstream/upstream-error.ts'
import type { Upstreams } from './upstream/upstreams.ts'

/** Receives failures that no response reports. Never receives keys. */
export interface ModelListLog extends LoadLog {
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

type LoadedInputs = Pick<
  ModelListInputs,
  'connections' | 'combos' | 'customModels' | 'modelAliases'
>
type UpstreamIds = ModelListInputs['upstreamIds']

/** The answers of upstreams by connection id; one that failed has no ids and a reason. */
interface UpstreamAnswers {
  readonly ids: UpstreamIds
  readonly failures: ReadonlyMap<string, string>
}

const nothingAsked: UpstreamIds = new Map()
const allKinds: ReadonlySet<ServiceKind> = new Set(serviceKinds)

/** Builds the current lists: loads the inputs and asks the required upstreams. */
export class ModelLists {
  readonly #parts: ModelListParts
  readonly #loader: TolerantLoader
  readonly #kept = new ListCache()

  constructor(parts: ModelListParts) {
    this.#parts = parts
    this.#loader = new TolerantLoader(parts.log)
  }

  /** The list as JSON bytes, which are shared and must not be modified. */
  async list(filter: ReadonlySet<ServiceKind>): Promise<Buffer> {
    const inputs = await this.#load()
    const name = [...filter].join()
    const sources = Object.values(inputs)
    const { now } = this.#parts
    const kept = this.#kept.find(name, sources, now())
    if (kept !== undefined) return kept
    const { providers, build } = this.#prepare(filter, inputs)
    const { ids: upstreamIds } = await this.#ask(providers)
    const entries = build(upstreamIds)
    // Responses of upstreams may differ next time, so lists with them are not cached.
    if (upstreamIds.size === 0) this.#kept.keep(name, sources, entries)
    return this.#kept.find(name, sources, now()) ?? Buffer.from(listJson(entries))
  }

  /**
   * The entry of an id among all kinds. Upstreams are asked only for an id that nothing else has,
   * and only those that may have it, so that an unreachable upstream does not affect models of
   * others.
   */
  async find(id: string): Promise<ModelEntry | undefined> {
    const { providers, build } = this.#prepare(allKinds, await this.#load())
    const has = (entry: ModelEntry) => entry.id === id
    const known = build(nothingAsked).find(has)
    if (known !== undefined) return known
    const named = providers.filter(({ outputAlias }) => id.startsWith(`${outputAlias}/`))
    const { ids: upstreamIds } = await this.#ask(named)
    return upstreamIds.size === 0 ? undefined : build(upstreamIds).find(has)
  }

  /**
   * Counts the listed models of each connection and explains what is missing. Asks upstreams like a
   * list.
   */
  async connectionListings(): Promise<readonly ConnectionListing[]> {
    const inputs = await this.#load()
    const { providers } = this.#prepare(allKinds, inputs)
    const { ids: upstreamIds, failures: upstreamFailures } = await this.#ask(providers)
    const { catalogue } = this.#parts
    return connectionListings({ ...inputs, catalogue, upstreamIds, upstreamFailures })
  }

  /** Returns the same objects as before while nothing has changed. */
  async #load(): Promise<LoadedInputs> {
    const { source } = this.#parts
    const loader = this.#loader
    const [connections, combos, customModels, modelAliases] = await Promise.all([
      loader.load('connections', () => source.connections(), []),
      loader.load('combos', () => source.combos(), []),
      loader.load('custom models', () => source.customModels(), []),
      loader.load('model aliases', () => source.modelAliases(), {}),
    ])
    return { connections, combos, customModels, modelAliases }
  }

  #prepare(filter: ReadonlySet<ServiceKind>, loaded: LoadedInputs) {
    const { catalogue, now } = this.#parts
    const inputs = { ...loaded, filter, catalogue }
    const listed = listedConnections(inputs)
    return {
      providers: listed.providers,
      build: (upstreamIds: UpstreamIds) =>
        buildModelList({ ...inputs, upstreamIds, nowMs: now() }, listed),
    }
  }

  /**
   * Asks all upstreams of these providers concurrently; those that must not be asked have no
   * answer.
   */
  async #ask(providers: readonly ListedProvider[]): Promise<UpstreamAnswers> {
    const ids = new Map<string, readonly string[]>()
    const failures = new Map<string, string>()
    const answers = upstreamQuestions(providers).map(async (question) => {
      const { connectionId } = question
      const answer = await this.#answerOf(question)
      if (typeof answer === 'string') failures.set(connectionId, answer)
      ids.set(connectionId, typeof answer === 'string' ? [] : answer)
    })
    await Promise.all(answers)
    return { ids, failures }
  }

  /** The ids of an upstream, or why it returned none. Any failure yields an empty list. */
  async #answerOf({
    connectionId,
    ...upstream
  }: UpstreamQuestion): Promise<readonly string[] | string> {
    try {
      return await this.#parts.upstreams.modelIds(upstream)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      const { code, status, detail } = error
      this.#parts.log.debug(
        { connectionId, code, status, detail },
        'an upstream returned no models',
      )
      return error.message
    }
  }
}
