import { maxIdLength } from '../upstream/ask-upstream.ts'
import { type Candidate, candidates, type ModelListInputs } from './build-model-list.ts'
import { type ListedProvider, listedConnections, withoutPrefix } from './listed-provider.ts'
import { type ModelFacts, priceOfFacts } from './model-facts.ts'
import {
  allKinds,
  type Combo,
  type ModelAliases,
  type ModelPrice,
  type ServiceKind,
} from './routing-inputs.ts'
import {
  type ActiveConnection,
  activeConnections,
  customPrices,
  listedCombos,
} from './stored-rows.ts'

/** A model of a connection, as the target of a call. */
export interface CallTarget {
  readonly connection: ActiveConnection
  /** The provider's own id of the model. */
  readonly ownId: string
  /** The id in the list. */
  readonly listedId: string
  readonly price?: ModelPrice | undefined
  /** The most tokens of an answer, if known. */
  readonly maxOutput?: number | undefined
}

/** The targets of an id. */
export interface Resolution {
  /** In the order of attempts. Empty: no connection has the model. */
  readonly targets: readonly CallTarget[]
  readonly kind: ServiceKind
  /** Whether it is an entry of docs/contract/model-list.md, "Web entries", which cannot be called. */
  readonly isWeb: boolean
}

interface IndexInputs extends Omit<ModelListInputs, 'filter' | 'nowMs'> {
  /** Ids of connections whose upstreams have no list, so that they may have any model. */
  readonly unlisted?: ReadonlySet<string>
  readonly facts?: UpstreamFacts
}

/** What upstreams say about models, by connection and the provider's own id. */
export type UpstreamFacts = ReadonlyMap<string, ReadonlyMap<string, ModelFacts>>

interface ListedCombo extends Pick<Combo, 'models'> {
  readonly kind: ServiceKind
}

const webKinds: ReadonlySet<ServiceKind> = new Set(['webSearch', 'webFetch'])
/** The maximum number of targets of a call. Combos may contain combos. */
const maxTargets = 100

/**
 * Finds the targets of ids by the rules of the lists: ids that `GET /v1/models/{id}` returns, and names of aliases. Some
 * of them are in no list, because their provider is not known to serve their kind.
 */
export class ModelIndex {
  readonly #combos: ReadonlyMap<string, ListedCombo>
  /** In the order of the lists: the first model of a kind is the listed one. */
  readonly #models = new Map<string, Candidate[]>()
  readonly #aliases: ModelAliases
  readonly #providers: readonly ListedProvider[]
  readonly #connections: ReadonlyMap<string, readonly ActiveConnection[]>
  readonly #unlisted: ReadonlySet<string>
  readonly #facts: UpstreamFacts
  /** Of custom models, by `<providerAlias>/<id>`. */
  readonly #prices: ReadonlyMap<string, ModelPrice>
  /** The models by their ids without a prefix. Made when one is looked for. */
  #byOwn: ReadonlyMap<string, readonly Candidate[]> | undefined

  constructor(inputs: IndexInputs) {
    const listed = listedConnections({ ...inputs, filter: allKinds })
    this.#combos = combosOf(inputs)
    this.#aliases = inputs.modelAliases
    this.#providers = listed.providers
    this.#unlisted = inputs.unlisted ?? new Set()
    this.#facts = inputs.facts ?? new Map()
    this.#prices = customPrices(inputs.customModels)
    // In the order of docs/contract/model-list.md, "Order of connections".
    this.#connections = Map.groupBy(
      activeConnections(inputs.connections),
      ({ provider }) => provider,
    )
    for (const candidate of candidates({ ...inputs, combos: [], filter: allKinds }, listed)) {
      const { id, kind } = candidate
      const known = this.#models.get(id)
      if (known === undefined) this.#models.set(id, [candidate])
      else if (!known.some((one) => one.kind === kind)) known.push(candidate)
    }
  }

  /**
   * @param kinds the kinds of the path: a model of one of them is preferred
   * @returns undefined if nothing has this id
   */
  resolve(id: string, kinds: ReadonlySet<ServiceKind>): Resolution | undefined {
    return this.#resolve(id, kinds, new Set())
  }

  /** Whether a combo or a model has the id. */
  has(id: string): boolean {
    return this.#combos.has(id) || this.#models.has(id)
  }

  *combos(): Iterable<{ readonly id: string; readonly kind: ServiceKind }> {
    for (const [id, { kind }] of this.#combos) yield { id, kind }
  }

  /** The models that are called by their ids, in the order of the lists. */
  *models(): Iterable<Candidate> {
    for (const [id, models] of this.#models) {
      if (this.#combos.has(id)) continue
      yield* models.filter(({ kind, provider }) => provider !== undefined && !webKinds.has(kind))
    }
  }

  /** The ids of the models that are `id` behind their prefixes: those of the kinds, if there are any. */
  idsOfOwn(id: string, kinds: ReadonlySet<ServiceKind>): readonly string[] {
    this.#byOwn ??= Map.groupBy(this.models(), (model) => model.id.slice(model.owned_by.length + 1))
    const found = this.#byOwn.get(id) ?? []
    const suitable = found.filter(({ kind }) => kinds.has(kind))
    return [...new Set((suitable.length > 0 ? suitable : found).map((model) => model.id))]
  }

  /** @param seen combos and aliases so far: repeated ones, such as a combo in itself, are skipped. */
  #resolve(id: string, kinds: ReadonlySet<ServiceKind>, seen: Set<string>): Resolution | undefined {
    const combo = this.#combos.get(id)
    if (combo !== undefined) return this.#resolveCombo(combo, kinds, seen.add(id))
    const models = this.#models.get(id)
    if (models !== undefined) return this.#resolveModels(models, kinds)
    const target = Object.hasOwn(this.#aliases, id) ? this.#aliases[id] : undefined
    if (typeof target !== 'string' || seen.has(id)) return this.#resolveUnlisted(id, kinds)
    return this.#resolve(this.#listedForm(target), kinds, seen.add(id))
  }

  /** Only a call can tell whether an upstream without a list has the model. */
  #resolveUnlisted(id: string, kinds: ReadonlySet<ServiceKind>): Resolution | undefined {
    for (const provider of this.#providers) {
      const { connection, outputAlias } = provider
      const ownId = id.slice(outputAlias.length + 1)
      const isNamed = isPossibleId(ownId) && id === `${outputAlias}/${ownId}`
      if (!isNamed || !this.#unlisted.has(connection.id)) continue
      const model = { id, owned_by: outputAlias, kind: 'llm', provider, ownId } as const
      return this.#resolveModels([model], kinds)
    }
    return undefined
  }

  /** The targets of the models of a combo, in order. Models that are not listed are left out. */
  #resolveCombo(
    { kind, models }: ListedCombo,
    kinds: ReadonlySet<ServiceKind>,
    seen: Set<string>,
  ): Resolution {
    const targets: CallTarget[] = []
    for (const model of Array.isArray(models) ? models : []) {
      if (seen.has(model) || targets.length >= maxTargets) continue
      targets.push(...(this.#resolve(model, kinds, seen)?.targets ?? []))
    }
    return { targets: targets.slice(0, maxTargets), kind, isWeb: webKinds.has(kind) }
  }

  #resolveModels(models: readonly Candidate[], kinds: ReadonlySet<ServiceKind>): Resolution {
    const found = models.find(({ kind }) => kinds.has(kind)) ?? models[0]
    const { id: listedId = '', kind = 'llm', provider, ownId = '' } = found ?? {}
    const isWeb = webKinds.has(kind)
    if (provider === undefined) return { targets: [], kind, isWeb }
    const own = provider.connection.id
    const [price, maxOutput] = this.#factsOf(ownId, provider)
    const targets = (this.#connections.get(provider.id) ?? [])
      .filter((connection) => connection.id === own || isEnabled(connection, ownId, provider))
      .map((connection) => ({
        connection,
        ownId,
        listedId,
        maxOutput,
        price: connection.price ?? price,
      }))
    return { targets, kind, isWeb }
  }

  /** The price of a custom model, under any name of its provider. All else is the upstream's or the catalogue's. */
  #factsOf(
    ownId: string,
    provider: ListedProvider,
  ): readonly [price: ModelPrice | undefined, maxOutput: number | undefined] {
    const { connection, known, prefixes } = provider
    const id = withoutPrefix(ownId, prefixes)
    const own = prefixes.flatMap((prefix) => this.#prices.get(prefix + id) ?? [])
    const listed = this.#facts.get(connection.id)?.get(ownId)
    const inCatalogue = known?.models.get(ownId)?.facts ?? known?.models.get(id)?.facts
    return [
      own[0] ?? priceOfFacts(listed) ?? priceOfFacts(inCatalogue),
      listed?.max_output_tokens ?? inCatalogue?.max_output_tokens,
    ]
  }

  /** An alias may use any name of its provider; the list uses one of them. */
  #listedForm(target: string): string {
    if (this.#models.has(target)) return target
    const forms = this.#providers.flatMap(({ prefixes, outputAlias }) => {
      const rest = withoutPrefix(target, prefixes)
      return rest === target ? [] : [`${outputAlias}/${rest}`]
    })
    return forms.find((id) => this.#models.has(id)) ?? target
  }
}

/** A longer one is no name of a model, and would be kept with the failures and the usage of its call. */
function isPossibleId(ownId: string): boolean {
  return ownId !== '' && ownId.length <= maxIdLength
}

/** Whether another connection of the provider also has the model. */
function isEnabled(
  { enabledModels }: ActiveConnection,
  ownId: string,
  { prefixes }: { readonly prefixes: readonly string[] },
): boolean {
  if (enabledModels === undefined) return true
  return enabledModels.some(
    (id) => id === ownId || withoutPrefix(id, prefixes) === withoutPrefix(ownId, prefixes),
  )
}

function combosOf({ combos }: Pick<IndexInputs, 'combos'>): ReadonlyMap<string, ListedCombo> {
  const found = new Map<string, ListedCombo>()
  for (const row of combos) {
    for (const { name, kind } of listedCombos([row])) {
      if (!found.has(name)) found.set(name, { kind, models: row.models })
    }
  }
  return found
}
