import type { Catalogue, CatalogueProvider } from '../catalogue/catalogue.ts'
import { compatibleFlavour, hexEnding, type Upstream } from '../upstream/upstream.ts'
import { type Connection, defaultKinds, type ServiceKind } from './routing-inputs.ts'
import { type ActiveConnection, activeConnections } from './stored-rows.ts'

/**
 * A provider with its first active connection, the only one that counts
 * (docs/contract/model-list.md, "Connected providers").
 */
export interface ListedProvider {
  readonly id: string
  readonly connection: ActiveConnection
  /** Undefined for a provider outside the catalogue, such as a compatible one. */
  readonly known: CatalogueProvider | undefined
  /** docs/contract/model-list.md, "Output alias". */
  readonly outputAlias: string
  /**
   * Output alias, static alias and provider id, each once, with the slash
   * (docs/contract/model-list.md, "Removed prefixes").
   */
  readonly prefixes: readonly string[]
}

/** The kinds of models that the lists contain for a provider. */
export function servedKinds({ known }: Pick<ListedProvider, 'known'>): ReadonlySet<ServiceKind> {
  return known?.serviceKinds ?? defaultKinds
}

export interface ListedConnections {
  /**
   * Whether no connection of any provider is active
   * (docs/contract/model-list.md, "Without active connections").
   */
  readonly isEmpty: boolean
  /** In the order of their first active connections. */
  readonly providers: readonly ListedProvider[]
}

export interface ListedConnectionsInputs {
  readonly filter: ReadonlySet<ServiceKind>
  readonly connections: readonly Connection[]
  readonly catalogue: Catalogue
}

/** The providers of docs/contract/model-list.md, "Connected providers". */
export function listedConnections(inputs: ListedConnectionsInputs): ListedConnections {
  const { filter, catalogue } = inputs
  const connections = activeConnections(inputs.connections)
  const firstOf = new Map<string, ActiveConnection>()
  for (const connection of connections) {
    if (!firstOf.has(connection.provider)) firstOf.set(connection.provider, connection)
  }
  const providers = [...firstOf.values()].flatMap((connection) => {
    const known = catalogue.byId.get(connection.provider)
    const isListed = doesServeAny(servedKinds({ known }), filter)
    return isListed ? [listedProvider(connection, known)] : []
  })
  return { isEmpty: connections.length === 0, providers }
}

/** Whether serviceKinds and the filter have a kind in common. */
export function doesServeAny(
  kinds: ReadonlySet<ServiceKind>,
  filter: ReadonlySet<ServiceKind>,
): boolean {
  return [...kinds].some((kind) => filter.has(kind))
}

function listedProvider(
  connection: ActiveConnection,
  known: CatalogueProvider | undefined,
): ListedProvider {
  const id = connection.provider
  // Provider alias and static alias are the same; a provider outside the catalogue uses its id.
  const staticAlias = known?.alias ?? id
  // docs/contract/model-list.md, "Output alias".
  const outputAlias = connection.prefix ?? staticAlias.trim()
  const names = new Set([outputAlias, staticAlias, id])
  return { id, connection, known, outputAlias, prefixes: [...names].map((name) => `${name}/`) }
}

/** Removes one leading prefix, once (docs/contract/model-list.md, "Removed prefixes"). */
export function withoutPrefix(modelId: string, prefixes: readonly string[]): string {
  const prefix = prefixes.find((candidate) => modelId.startsWith(candidate))
  return prefix === undefined ? modelId : modelId.slice(prefix.length)
}

/**
 * The provider's own id of a model: the one in the catalogue, with or without a prefix (nvidia/…, fal-ai/…), otherwise
 * the given one. No provider knows the id of a custom provider.
 *
 * @param id without the prefix
 */
export function ownModelId(
  id: string,
  given: string,
  { id: providerId, known, prefixes }: ListedProvider,
): string {
  if (known?.models.has(id) === true || given === `${providerId}/${id}`) {
    return known?.models.has(given) === true ? given : id
  }
  const prefix = prefixes.find((one) => known?.models.has(one + id))
  return prefix === undefined ? given : prefix + id
}

/** A connection whose upstream is queried for its models. */
export interface UpstreamQuestion extends Upstream {
  readonly connectionId: string
}

/**
 * The upstreams to query for these providers: those of compatible providers without base ids, unless the id of the provider
 * ends in hexadecimal digits (docs/contract/model-list.md, "Ids from the upstream").
 */
export function upstreamQuestions(
  providers: readonly ListedProvider[],
): readonly UpstreamQuestion[] {
  return providers.flatMap((one) => (baseModelIds(one).length > 0 ? [] : questionsTo(one)))
}

/**
 * The upstreams that are queried only for what they say about models whose ids are entered: not for the contract's lists.
 */
export function factQuestions(providers: readonly ListedProvider[]): readonly UpstreamQuestion[] {
  return providers.flatMap((one) =>
    one.connection.enabledModels === undefined ? [] : questionsTo(one),
  )
}

function questionsTo({ id, connection }: ListedProvider): readonly UpstreamQuestion[] {
  const flavour = compatibleFlavour(id)
  const { id: connectionId, baseUrl, apiKey } = connection
  const isAsked = flavour !== undefined && !hexEnding.test(id)
  return isAsked ? [{ connectionId, flavour, baseUrl, apiKey }] : []
}

/** Whether the models of a compatible provider cannot be known: they are neither entered nor asked for. */
export function isNeverAsked(provider: ListedProvider): boolean {
  const isCompatible = compatibleFlavour(provider.id) !== undefined
  return isCompatible && hexEnding.test(provider.id) && baseModelIds(provider).length === 0
}

/** docs/contract/model-list.md, "Base ids". */
export function baseModelIds({ connection, known }: ListedProvider): readonly string[] {
  return connection.enabledModels ?? [...(known?.models.keys() ?? [])]
}

/** The first row that matches decides (docs/contract/model-list.md, "Kind of an id"). */
const kindHints = [
  { kind: 'embedding', hint: /embed/ },
  { kind: 'tts', hint: /tts|speech|audio|voice/ },
  { kind: 'image', hint: /image|dall-?e|flux|sdxl|sd-|stable-diffusion/ },
] as const satisfies readonly { readonly kind: ServiceKind; readonly hint: RegExp }[]

/** Most ids contain no hint; one combined test takes less than half the time of three. */
const anyHint = new RegExp(kindHints.map(({ hint }) => hint.source).join('|'))

/** The kind that a model id suggests; default: llm. */
export function inferKind(modelId: string): ServiceKind {
  const lowerCased = modelId.toLowerCase()
  if (!anyHint.test(lowerCased)) return 'llm'
  return kindHints.find(({ hint }) => hint.test(lowerCased))?.kind ?? 'llm'
}

/**
 * The static kind of an id, otherwise the inferred one
 * (docs/contract/model-list.md, "Kind of an id"). The id is looked up both with and without its
 * prefix: the catalogue has ids that begin with the name of their own provider, such as
 * fal-ai/recraft-v3.
 */
export function kindOfModel(
  modelId: string,
  { known, prefixes }: Pick<ListedProvider, 'known' | 'prefixes'>,
): ServiceKind {
  const prefix = known && ['', ...prefixes].find((one) => known.models.has(one + modelId))
  const listed = prefix === undefined ? undefined : known?.models.get(prefix + modelId)
  return listed?.kind ?? inferKind(modelId)
}
