import { createHash } from 'node:crypto'
import type { Log } from '../../platform/process/log.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { fitsAny } from '../keys/model-keys.ts'
import { UpstreamError } from '../upstream/upstream.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import { type ModelListInputs, modelEntries } from './build-model-list.ts'
import { connectionListings } from './connection-listing.ts'
import { ListCache, type ListReply } from './list-cache.ts'
import type { ConnectionListing, ModelEntry } from './list-schemas.ts'
import {
  type ListedProvider,
  listedConnections,
  type UpstreamQuestion,
  upstreamQuestions,
} from './listed-provider.ts'
import { allKinds, type RoutingSource, type ServiceKind } from './routing-inputs.ts'

export interface ModelListParts {
  /** `changes` grows when this process changes something; absent: it is not known. */
  readonly source: RoutingSource & { readonly changes?: number }
  readonly catalogue: Catalogue
  readonly upstreams: Pick<Upstreams, 'modelIds'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Monotonic, milliseconds. Default: the clock of the process. */
  readonly elapsed?: () => number
  readonly log: Log
}

/** What is stored. An input that could not be loaded is empty. */
export type LoadedInputs = Pick<
  ModelListInputs,
  'connections' | 'combos' | 'customModels' | 'modelAliases'
>
type UpstreamIds = ModelListInputs['upstreamIds']

/** The answers of upstreams by connection id. A failed one has a reason and no ids. */
interface UpstreamAnswers {
  readonly ids: UpstreamIds
  readonly failures: ReadonlyMap<string, string>
}

/** The same objects each time, so that a list without an input is cached too. */
const noRows: readonly never[] = []
const noAliases: ModelListInputs['modelAliases'] = {}
const recentMs = 250
const nothingAsked: UpstreamIds = new Map()

/** Builds the current lists: loads the inputs and asks the required upstreams. */
export class ModelLists {
  readonly #parts: ModelListParts
  readonly #loader: TolerantLoader
  #recent: { inputs: LoadedInputs; changes: number | undefined; atMs: number } | undefined
  readonly #kept: ListCache

  constructor(parts: ModelListParts) {
    this.#parts = parts
    this.#loader = new TolerantLoader(parts.log)
    this.#kept = new ListCache(parts)
  }

  /**
   * The list as the body of a reply, which must be closed. Entries beyond the maximum size are missing.
   *
   * @param patterns of the ids, with `*` for any text. Default: all.
   * @throws ApiError 503 when clients leave too many different lists unread.
   */
  async list(filter: ReadonlySet<ServiceKind>, patterns?: readonly string[]): Promise<ListReply> {
    const inputs = await this.inputs()
    const name = [...filter, ...(patterns === undefined ? [] : [JSON.stringify(patterns)])].join()
    const sources: unknown[] = Object.values(inputs)
    const kept = this.#kept.find(name, sources)
    if (kept !== undefined) return kept
    const { providers, build } = this.#prepare(filter, inputs)
    const { ids: upstreamIds } = await this.#ask(providers)
    if (upstreamIds.size > 0) sources.push(digestOf(upstreamIds))
    const data = jsonOf(build(upstreamIds), patterns)
    return this.#kept.find(name, sources) ?? this.#kept.keep(name, sources, { data })
  }

  /**
   * The entry of an id, of any kind. Upstreams are queried only for an id that nothing else has, and
   * only those that may have it: an unreachable upstream does not affect other models.
   */
  async find(id: string, patterns?: readonly string[]): Promise<ModelEntry | undefined> {
    if (!fitsAny(id, patterns)) return undefined
    const isNamed = ({ outputAlias }: ListedProvider) => id.startsWith(`${outputAlias}/`)
    const { providers, build } = this.#prepare(allKinds, await this.inputs(), isNamed)
    const known = entryOf(id, build(nothingAsked))
    if (known !== undefined) return known
    const { ids: upstreamIds } = await this.#ask(providers)
    return upstreamIds.size === 0 ? undefined : entryOf(id, build(upstreamIds))
  }

  /**
   * Counts the listed models of each connection and explains what is missing. Queries upstreams as a
   * list does.
   */
  async connectionListings(): Promise<readonly ConnectionListing[]> {
    const inputs = await this.inputs()
    const { providers } = this.#prepare(allKinds, inputs)
    const { ids: upstreamIds, failures: upstreamFailures } = await this.#ask(providers)
    const { catalogue } = this.#parts
    return connectionListings({ ...inputs, catalogue, upstreamIds, upstreamFailures })
  }

  /** Returns the same objects as before while nothing has changed. */
  async inputs(): Promise<LoadedInputs> {
    const { source } = this.#parts
    const loader = this.#loader
    const [connections, combos, customModels, modelAliases] = await Promise.all([
      loader.load('connections', () => source.connections(), noRows),
      loader.load('combos', () => source.combos(), noRows),
      loader.load('custom models', () => source.customModels(), noRows),
      loader.load('model aliases', () => source.modelAliases(), noAliases),
    ])
    return { connections, combos, customModels, modelAliases }
  }

  /**
   * The inputs for a call: reading them costs a SELECT. Changes of other processes take effect within a quarter of a second,
   * those of this process at once.
   */
  async recentInputs(): Promise<LoadedInputs> {
    const { source, elapsed } = this.#parts
    const { changes } = source
    const atMs = elapsed?.() ?? performance.now()
    const recent = this.#recent
    const isRecent = recent?.changes === changes && atMs - (recent?.atMs ?? 0) < recentMs
    if (changes !== undefined && isRecent && recent !== undefined) return recent.inputs
    const inputs = await this.inputs()
    this.#recent = { inputs, changes, atMs }
    return inputs
  }

  #prepare(
    filter: ReadonlySet<ServiceKind>,
    loaded: LoadedInputs,
    isWanted: (provider: ListedProvider) => boolean = () => true,
  ) {
    const { catalogue, now } = this.#parts
    const inputs = { ...loaded, filter, catalogue }
    const { isEmpty, providers: all } = listedConnections(inputs)
    const providers = all.filter(isWanted)
    return {
      providers,
      build: (upstreamIds: UpstreamIds) =>
        modelEntries({ ...inputs, upstreamIds, nowMs: now() }, { isEmpty, providers }),
    }
  }

  /** Queries the upstreams of these providers concurrently. */
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

/** The entries that the patterns allow, for `ListCache.keep`. */
function* jsonOf(entries: Iterable<ModelEntry>, patterns: readonly string[] | undefined) {
  for (const entry of entries) {
    if (fitsAny(entry.id, patterns)) yield JSON.stringify({ ...entry, created: 0 })
  }
}

function entryOf(id: string, entries: Iterable<ModelEntry>): ModelEntry | undefined {
  for (const entry of entries) if (entry.id === id) return entry
  return undefined
}

/** Equal answers have equal lists. Only the digest stays in memory. */
function digestOf(upstreamIds: UpstreamIds): string {
  const hash = createHash('sha256')
  for (const [connectionId, ids] of upstreamIds) hash.update(JSON.stringify([connectionId, ids]))
  return hash.digest('base64')
}

/**
 * Loads the inputs of the list. An input that cannot be loaded counts as empty
 * (docs/contract/model-list.md, "Loading the inputs"). Logs one line when an input starts to fail
 * and one when it recovers, independent of the number of requests.
 */
export class TolerantLoader {
  readonly #log: Log
  readonly #failing = new Set<string>()

  constructor(log: Log) {
    this.#log = log
  }

  /** @param input the name for the log. */
  async load<Rows extends object>(
    input: string,
    read: () => Promise<Rows>,
    empty: Rows,
  ): Promise<Rows> {
    try {
      const rows = await read()
      const isUsable = typeof rows === 'object' && rows !== null
      if (!isUsable || Array.isArray(rows) !== Array.isArray(empty)) {
        throw new TypeError(`expected ${input}, got ${typeof rows}`)
      }
      if (this.#failing.delete(input)) {
        this.#log.info({ input }, 'an input of the model list can be loaded again')
      }
      return rows
    } catch (err) {
      if (!this.#failing.has(input)) {
        this.#failing.add(input)
        this.#log.warn(
          { input, err },
          'could not load an input of the model list; building the list without it',
        )
      }
      return empty
    }
  }
}
