import { compatibleFlavour, hexEnding } from '../upstream/upstream.ts'
import { candidates, type ModelListInputs } from './build-model-list.ts'
import { ListBudget } from './list-cache.ts'
import type { ConnectionListing, ModelEntry, UnlistedReason } from './list-schemas.ts'
import {
  baseModelIds,
  type ListedProvider,
  listedConnections,
  servedKinds,
} from './listed-provider.ts'
import { allKinds, type Connection, serviceKinds } from './routing-inputs.ts'

export interface ListingInputs extends Omit<ModelListInputs, 'filter' | 'nowMs'> {
  /** Why an upstream returned no models, by connection id. */
  readonly upstreamFailures: ReadonlyMap<string, string>
}

const maxExamples = 10

/** The reason of models at the end of a list that exceeds its maximum size. */
export const beyondListSize =
  'The list has its maximum size of 16 MiB. Shorten the prefixes, or list fewer models.'

/** The models of a connection that are listed, and those that are not. */
interface Tally {
  readonly provider: ListedProvider
  readonly listed: Set<string>
  readonly unserved: string[]
  readonly repeated: string[]
  readonly cut: string[]
}

/** Builds the lists of all kinds at once and counts per connection. */
export function connectionListings(inputs: ListingInputs): readonly ConnectionListing[] {
  const all = { ...inputs, filter: allKinds }
  const listed = listedConnections(all)
  const tallies = new Map(
    listed.providers.map((provider): [string, Tally] => {
      const none = { unserved: [], repeated: [], cut: [] }
      return [provider.connection.id, { provider, listed: new Set(), ...none }]
    }),
  )
  // The first entry with an id is kept, in each list (docs/contract/model-list.md, "Duplicates").
  const taken = new Set<string>()
  const budgets = new Map(serviceKinds.map((kind) => [kind, new ListBudget()]))
  for (const { id, owned_by, kind, provider } of candidates(all, listed)) {
    const tally = provider && tallies.get(provider.connection.id)
    const isServed = provider === undefined || servedKinds(provider).has(kind)
    if (!isServed) tally?.unserved.push(id)
    else if (tally?.listed.has(id)) continue
    else if (taken.has(`${kind} ${id}`)) tally?.repeated.push(id)
    else if (budgets.get(kind)?.take(jsonOf({ id, owned_by })) !== true) tally?.cut.push(id)
    else {
      taken.add(`${kind} ${id}`)
      tally?.listed.add(id)
    }
  }
  return inputs.connections.map((connection) => {
    const { id } = connection
    const tally = tallies.get(id)
    if (tally !== undefined) return { id, ...listingOf(tally, inputs) }
    return { id, listed: 0, reasons: [wholeReason(notUsed(connection))] }
  })
}

function jsonOf(named: Pick<ModelEntry, 'id' | 'owned_by'>): string {
  return JSON.stringify({ ...named, object: 'model', created: 0 })
}

function notUsed({ provider, isActive }: Connection): string {
  return isActive === false
    ? 'The connection is turned off.'
    : `Another active connection of ${provider} comes first. Only the first one of a provider is used.`
}

function listingOf(
  { provider, listed, unserved, repeated, cut }: Tally,
  inputs: ListingInputs,
): Omit<ConnectionListing, 'id'> {
  const hasFailed = inputs.upstreamFailures.has(provider.connection.id)
  const reasons = [
    ...modelReason('The provider does not serve models of this kind.', unserved),
    ...modelReason('Another entry has the same id.', repeated),
    ...modelReason(beyondListSize, cut),
    ...(listed.size === 0 || hasFailed ? sourceReasons(provider, inputs) : []),
  ]
  return { listed: listed.size, reasons }
}

function modelReason(message: string, models: readonly string[]): readonly UnlistedReason[] {
  if (models.length === 0) return []
  return [{ message, models: models.slice(0, maxExamples), count: models.length }]
}

function wholeReason(message: string): UnlistedReason {
  return { message, models: [], count: 0 }
}

/**
 * Why a connection has no ids: docs/contract/model-list.md, "Base ids" and "Ids from the upstream".
 */
function sourceReasons(
  provider: ListedProvider,
  { upstreamFailures }: ListingInputs,
): readonly UnlistedReason[] {
  if (baseModelIds(provider).length > 0) return []
  const failure = upstreamFailures.get(provider.connection.id)
  if (failure !== undefined) return [wholeReason(failure)]
  if (compatibleFlavour(provider.id) === undefined) {
    const missing =
      provider.known === undefined
        ? `The catalogue has no provider ${provider.id}.`
        : 'The catalogue has no models of this provider.'
    return [wholeReason(`${missing} Enter the models to list in the connection.`)]
  }
  return [
    wholeReason(
      hexEnding.test(provider.id)
        ? `The provider id ${provider.id} ends in hex digits, so its upstream is not queried. Enter the models in the connection, or create the connection again.`
        : 'The upstream lists no models.',
    ),
  ]
}
