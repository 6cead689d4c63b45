import type { ConnectionListing, UnlistedReason } from '../list-schemas.ts'
import { type Connection, type ServiceKind, serviceKinds } from '../routing-inputs.ts'
import { compatibleFlavour } from '../upstream/flavour.ts'
import { hexEnding } from '../upstream/hex-ending.ts'
import { AddedModels } from './added-models.ts'
import { configuredIds, type ModelListInputs, mergedIds } from './build-model-list.ts'
import { ListBudget } from './list-budget.ts'
import { type ListedProvider, listedConnections } from './listed-provider.ts'
import { kindOfModel } from './model-kind.ts'
import { listedCombos } from './stored-rows.ts'
import { baseModelIds } from './upstream-questions.ts'

export interface ListingInputs extends Omit<ModelListInputs, 'filter' | 'nowMs'> {
  /** Why an upstream returned no models, by connection id. */
  readonly upstreamFailures: ReadonlyMap<string, string>
}

const allKinds: ReadonlySet<ServiceKind> = new Set(serviceKinds)
const maxExamples = 10

/** The reason of models at the end of a list that exceeds its maximum size. */
export const beyondListSize =
  'The list has its maximum size of 16 MiB. Shorten the prefixes, or list fewer models.'

/** Builds the lists of all kinds at once and counts per connection. */
export function connectionListings(inputs: ListingInputs): readonly ConnectionListing[] {
  const { providers } = listedConnections({ ...inputs, filter: allKinds })
  const byConnection = new Map(providers.map((provider) => [provider.connection.id, provider]))
  const added = new AddedModels(inputs)
  // The first entry with an id is kept, in each list (docs/contract/model-list.md, "Duplicates").
  const combos = listedCombos(inputs.combos)
  const taken = new Set(combos.map(({ kind, name }) => `${kind} ${name}`))
  const budgets = new Map(serviceKinds.map((kind) => [kind, new ListBudget()]))
  for (const { kind, name } of combos) budgets.get(kind)?.take({ id: name, owned_by: 'combo' })
  const listings = new Map(
    providers.map((provider) => {
      return [provider.connection.id, providerListing(provider, { inputs, added, taken, budgets })]
    }),
  )
  return inputs.connections.map((connection) => {
    const { id } = connection
    const listing = byConnection.has(id) ? listings.get(id) : undefined
    return listing ?? { id, listed: 0, reasons: [wholeReason(notUsed(connection))] }
  })
}

function notUsed({ provider, isActive }: Connection): string {
  return isActive === false
    ? 'The connection is turned off.'
    : `Another active connection of ${provider} comes first. Only the first one of a provider is used.`
}

interface Shared {
  readonly inputs: ListingInputs
  readonly added: AddedModels
  /** `<kind> <id>` of the entries so far. */
  readonly taken: Set<string>
  readonly budgets: ReadonlyMap<ServiceKind, ListBudget>
}

function providerListing(provider: ListedProvider, shared: Shared): ConnectionListing {
  const { inputs, added, taken, budgets } = shared
  const { connection, known, outputAlias, prefixes } = provider
  const served = known?.serviceKinds ?? new Set<ServiceKind>(['llm'])
  const unserved: string[] = []
  const repeated: string[] = []
  const cut: string[] = []
  const listed = new Set<string>()
  const list = (model: string, kind: ServiceKind) => {
    const id = `${outputAlias}/${model}`
    if (!served.has(kind)) unserved.push(id)
    else if (listed.has(id)) return
    else if (taken.has(`${kind} ${id}`)) repeated.push(id)
    else if (budgets.get(kind)?.take({ id, owned_by: outputAlias }) !== true) cut.push(id)
    else {
      taken.add(`${kind} ${id}`)
      listed.add(id)
    }
  }
  for (const id of mergedIds(provider, inputs, added.idsOf(prefixes, prefixes))) {
    list(id, kindOfModel(id, known, prefixes))
  }
  for (const kind of ['tts', 'embedding'] as const) {
    for (const id of configuredIds(provider, new Set([kind]))) list(id, kind)
  }
  if (known?.canSearch === true && served.has('webSearch')) list('search', 'webSearch')
  if (known?.canFetch === true && served.has('webFetch')) list('fetch', 'webFetch')
  const reasons = [
    ...modelReason('The provider does not serve models of this kind.', unserved),
    ...modelReason('Another entry has the same id.', repeated),
    ...modelReason(beyondListSize, cut),
    ...(listed.size === 0 || upstreamFailed(provider, inputs)
      ? sourceReasons(provider, inputs)
      : []),
  ]
  return { id: connection.id, listed: listed.size, reasons }
}

function upstreamFailed({ connection }: ListedProvider, inputs: ListingInputs): boolean {
  return inputs.upstreamFailures.has(connection.id)
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
