import type { Catalogue, CatalogueProvider } from '../catalogue/catalogue.ts'
import type { Connection, ServiceKind } from '../routing-inputs.ts'
import { type ActiveConnection, activeConnections } from './stored-rows.ts'

/** A provider that rule 4 lists, seen through the one connection that counts. */
export interface ListedProvider {
  readonly id: string
  readonly connection: ActiveConnection
  /** Absent for a provider that the catalogue does not have, such as a compatible one. */
  readonly known: CatalogueProvider | undefined
  /** Rule 4.1. */
  readonly outputAlias: string
  /** Rules 4.4 and 4.5: output alias, static alias and provider id, each once, with the slash. */
  readonly prefixes: readonly string[]
}

/** What a provider serves that the catalogue does not have: model-list.md, "default llm". */
const defaultKinds: ReadonlySet<ServiceKind> = new Set(['llm'])

export interface ListedConnections {
  /** Rule 3 or rule 4: whether no connection is active, of whatever provider. */
  readonly isEmpty: boolean
  /** In the order of their first active connections. */
  readonly providers: readonly ListedProvider[]
}

export interface ListedConnectionsInputs {
  readonly filter: ReadonlySet<ServiceKind>
  readonly connections: readonly Connection[]
  readonly catalogue: Catalogue
}

/** Rule 4: the providers with an active connection whose serviceKinds intersect the filter. */
export function listedConnections(inputs: ListedConnectionsInputs): ListedConnections {
  const { filter, catalogue } = inputs
  const connections = activeConnections(inputs.connections)
  const firstOf = new Map<string, ActiveConnection>()
  for (const connection of connections) {
    if (!firstOf.has(connection.provider)) firstOf.set(connection.provider, connection)
  }
  const providers = [...firstOf.values()].flatMap((connection) => {
    const known = catalogue.byId.get(connection.provider)
    const isListed = doesServeAny(known?.serviceKinds ?? defaultKinds, filter)
    return isListed ? [listedProvider(connection, known)] : []
  })
  return { isEmpty: connections.length === 0, providers }
}

/** Rules 3 and 4: whether serviceKinds intersect the filter. */
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
  // Provider alias and static alias are one; a provider outside the catalogue goes by its id.
  const staticAlias = known?.alias ?? id
  // 4.1 Output alias is the connection prefix, else the provider alias; trimmed.
  const outputAlias = connection.prefix ?? staticAlias.trim()
  const names = new Set([outputAlias, staticAlias, id])
  return { id, connection, known, outputAlias, prefixes: [...names].map((name) => `${name}/`) }
}

/** Rule 4.4: one leading prefix is removed, once. */
export function withoutPrefix(modelId: string, prefixes: readonly string[]): string {
  const prefix = prefixes.find((candidate) => modelId.startsWith(candidate))
  return prefix === undefined ? modelId : modelId.slice(prefix.length)
}
