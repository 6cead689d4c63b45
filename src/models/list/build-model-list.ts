import type { Catalogue } from '../catalogue/catalogue.ts'
import type { ModelEntry } from '../list-schemas.ts'
import type {
  Combo,
  Connection,
  CustomModel,
  ModelAliases,
  ServiceKind,
} from '../routing-inputs.ts'
import { AddedModels } from './added-models.ts'
import {
  doesServeAny,
  type ListedConnections,
  type ListedProvider,
  listedConnections,
  withoutPrefix,
} from './listed-provider.ts'
import { kindOfModel } from './model-kind.ts'
import { listedCombos, llmCustomModels } from './stored-rows.ts'
import { baseModelIds } from './upstream-questions.ts'

/**
 * Builds the list in the order of docs/contract/model-list.md, "Inputs" and the sections after it.
 */

export interface ModelListInputs {
  /** The kinds to list. */
  readonly filter: ReadonlySet<ServiceKind>
  /** Empty if loading failed (docs/contract/model-list.md, "Loading the inputs"). */
  readonly connections: readonly Connection[]
  readonly combos: readonly Combo[]
  readonly customModels: readonly CustomModel[]
  readonly modelAliases: ModelAliases
  readonly catalogue: Catalogue
  /** The answers to `upstreamQuestions`, by connection id. */
  readonly upstreamIds: ReadonlyMap<string, readonly string[]>
  /** Milliseconds since the epoch. */
  readonly nowMs: number
}

/** An entry that may duplicate an earlier id. */
type Candidate = Pick<ModelEntry, 'id' | 'owned_by' | 'kind'>

/** @param listed the connections of the inputs, if already read. */
export function buildModelList(
  inputs: ModelListInputs,
  listed?: ListedConnections,
): readonly ModelEntry[] {
  return [...modelEntries(inputs, listed)]
}

/** As `buildModelList`, one entry at a time: nothing is built after the last one that is read. */
export function* modelEntries(
  inputs: ModelListInputs,
  listed: ListedConnections = listedConnections(inputs),
): Iterable<ModelEntry> {
  const created = Math.floor(inputs.nowMs / 1_000)
  const ids = new Set<string>()
  for (const { id, owned_by, kind } of candidates(inputs, listed)) {
    // docs/contract/model-list.md, "Duplicates".
    if (ids.has(id)) continue
    ids.add(id)
    const entry = { id, object: 'model', created, owned_by } as const
    yield kind === undefined ? entry : { ...entry, kind }
  }
}

function* candidates(
  inputs: ModelListInputs,
  { isEmpty, providers }: ListedConnections,
): Iterable<Candidate> {
  yield* comboEntries(inputs)
  if (isEmpty) yield* staticEntries(inputs)
  else yield* connectionEntries(inputs, providers)
}

/** docs/contract/model-list.md, "Combos". */
function* comboEntries({ combos, filter }: ModelListInputs): Iterable<Candidate> {
  for (const { name, kind } of listedCombos(combos)) {
    if (!filter.has(kind)) continue
    const isWeb = kind === 'webSearch' || kind === 'webFetch'
    yield { id: name, owned_by: 'combo', ...(isWeb ? { kind } : {}) }
  }
}

/** docs/contract/model-list.md, "Without active connections". */
function* staticEntries({ catalogue, customModels, filter }: ModelListInputs): Iterable<Candidate> {
  for (const { alias, models, serviceKinds } of catalogue.providers) {
    if (!doesServeAny(serviceKinds, filter)) continue
    for (const { id, kind } of models) {
      if (filter.has(kind)) yield { id: `${alias}/${id}`, owned_by: alias }
    }
  }
  if (!filter.has('llm')) return
  for (const { id, providerAlias } of llmCustomModels(customModels)) {
    yield { id: `${providerAlias}/${id}`, owned_by: providerAlias }
  }
}

/** docs/contract/model-list.md, "Connected providers". */
function* connectionEntries(
  inputs: ModelListInputs,
  providers: readonly ListedProvider[],
): Iterable<Candidate> {
  const added = new AddedModels(inputs)
  /** Output aliases whose added models are in the list: thousands, and a thousand providers may share one alias. */
  const complete = new Set<string>()
  for (const provider of providers) {
    const { outputAlias, known, prefixes } = provider
    const isRepeated = known === undefined && complete.has(outputAlias)
    const names = isRepeated ? prefixes.filter((prefix) => prefix !== `${outputAlias}/`) : prefixes
    if (known === undefined) complete.add(outputAlias)
    for (const id of [
      ...filteredIds(provider, inputs, added.idsOf(names, prefixes)),
      ...configuredIds(provider, inputs.filter),
    ]) {
      yield { id: `${outputAlias}/${id}`, owned_by: outputAlias }
    }
    yield* webEntries(provider, inputs.filter)
  }
}

/** Without the ids of a kind outside the filter (docs/contract/model-list.md, "Kind of an id"). */
function filteredIds(
  provider: ListedProvider,
  inputs: ModelListInputs,
  added: readonly string[],
): readonly string[] {
  const { known, prefixes } = provider
  return mergedIds(provider, inputs, added).filter((id) =>
    inputs.filter.has(kindOfModel(id, known, prefixes)),
  )
}

/**
 * The ids of a provider, of any kind (docs/contract/model-list.md, "Base ids" and "Added models").
 */
export function mergedIds(
  provider: ListedProvider,
  { upstreamIds }: Pick<ModelListInputs, 'upstreamIds'>,
  added: readonly string[],
): readonly string[] {
  const { connection, prefixes } = provider
  const base = baseModelIds(provider)
  // docs/contract/model-list.md, "Ids from the upstream": only where there are no base ids.
  const asked = base.length > 0 ? base : (upstreamIds.get(connection.id) ?? [])
  // docs/contract/model-list.md, "Removed prefixes". Ids that are blank afterwards are dropped.
  const stripped = asked.map((id) => withoutPrefix(id, prefixes)).filter((id) => id.trim() !== '')
  return [...new Set([...stripped, ...added])]
}

/**
 * docs/contract/model-list.md, "Configured models". The prefix is not removed from these ids.
 */
export function configuredIds(
  { known }: ListedProvider,
  filter: ReadonlySet<ServiceKind>,
): readonly string[] {
  return [
    ...(filter.has('tts') ? (known?.ttsModelIds ?? []) : []),
    ...(filter.has('embedding') ? (known?.embeddingModelIds ?? []) : []),
  ]
}

/** docs/contract/model-list.md, "Web entries". */
function* webEntries(
  { known, outputAlias }: ListedProvider,
  filter: ReadonlySet<ServiceKind>,
): Iterable<Candidate> {
  if (filter.has('webSearch') && known?.canSearch === true) {
    yield { id: `${outputAlias}/search`, owned_by: outputAlias, kind: 'webSearch' }
  }
  if (filter.has('webFetch') && known?.canFetch === true) {
    yield { id: `${outputAlias}/fetch`, owned_by: outputAlias, kind: 'webFetch' }
  }
}
