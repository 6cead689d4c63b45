import type { Catalogue, CatalogueProvider } from '../catalogue/catalogue.ts'
import type { Connection, ServiceKind } from './routing-inputs.ts'
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

/** The kinds of a provider outside the catalogue (docs/contract/model-list.md, "Inputs"). */
const defaultKinds: ReadonlySet<ServiceKind> = new Set(['llm'])

/** What the lists may have of a provider. */
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
 * What the provider itself calls a model: the name in the catalogue, with or without a prefix (nvidia/…, fal-ai/…),
 * otherwise as it was given. No provider knows the id that a custom provider has here.
 *
 * @param id without the prefix
 */
export function ownModelId(
  id: string,
  given: string,
  { id: providerId, known, prefixes }: ListedProvider,
): string {
  if (known?.kindOfModel.has(id) === true || given === `${providerId}/${id}`) {
    return known?.kindOfModel.has(given) === true ? given : id
  }
  const prefix = prefixes.find((one) => known?.kindOfModel.has(one + id))
  return prefix === undefined ? given : prefix + id
}
