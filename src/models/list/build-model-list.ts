import type { Catalogue } from '../catalogue/catalogue.ts'
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
import type { ModelEntry } from './model-entry.ts'
import { kindOfModel } from './model-kind.ts'
import { aliasedModels, listedCombos, llmCustomModels } from './stored-rows.ts'
import { baseModelIds } from './upstream-questions.ts'

/**
 * The algorithm of model-list.md, "How the list is built for a kind filter". Rules are cited by
 * their numbers there; decisions by the Model list part of the decisions.
 */

export interface ModelListInputs {
  /** The kinds to list. */
  readonly filter: ReadonlySet<ServiceKind>
  /** Rule 1: what could not be loaded is empty. */
  readonly connections: readonly Connection[]
  readonly combos: readonly Combo[]
  readonly customModels: readonly CustomModel[]
  readonly modelAliases: ModelAliases
  readonly catalogue: Catalogue
  /** What upstreams answered, by connection id: the answers to `upstreamQuestions`. */
  readonly upstreamIds: ReadonlyMap<string, readonly string[]>
  /** Milliseconds since the epoch. */
  readonly nowMs: number
}

/** An entry before it is known whether its id was seen. */
type Candidate = Pick<ModelEntry, 'id' | 'owned_by' | 'kind'>

/** @param listed the connections of the inputs, from who has read them already. */
export function buildModelList(
  inputs: ModelListInputs,
  listed: ListedConnections = listedConnections(inputs),
): readonly ModelEntry[] {
  const created = Math.floor(inputs.nowMs / 1_000)
  const entries = new Map<string, ModelEntry>()
  for (const { id, owned_by, kind } of candidates(inputs, listed)) {
    // 5. Duplicates by id are removed, first occurrence kept.
    if (entries.has(id)) continue
    const entry = { id, object: 'model', created, owned_by } as const
    entries.set(id, kind === undefined ? entry : { ...entry, kind })
  }
  return [...entries.values()]
}

function* candidates(
  inputs: ModelListInputs,
  { isEmpty, providers }: ListedConnections,
): Iterable<Candidate> {
  yield* comboEntries(inputs)
  if (isEmpty) yield* staticEntries(inputs)
  else yield* connectionEntries(inputs, providers)
}

/** 2. Combos come first. */
function* comboEntries({ combos, filter }: ModelListInputs): Iterable<Candidate> {
  for (const { name, kind } of listedCombos(combos)) {
    if (!filter.has(kind)) continue
    const isWeb = kind === 'webSearch' || kind === 'webFetch'
    yield { id: name, owned_by: 'combo', ...(isWeb ? { kind } : {}) }
  }
}

/** 3. When there are no active connections, the static catalogue is used. */
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

/** 4. Otherwise each provider is listed through its first active connection. */
function* connectionEntries(
  inputs: ModelListInputs,
  providers: readonly ListedProvider[],
): Iterable<Candidate> {
  const added = new AddedModels(
    llmCustomModels(inputs.customModels),
    aliasedModels(inputs.modelAliases),
  )
  for (const provider of providers) {
    const { outputAlias } = provider
    for (const id of [
      ...filteredIds(provider, inputs, added),
      ...configuredIds(provider, inputs.filter),
    ]) {
      // 4.7 Each remaining id yields <output alias>/<id>.
      yield { id: `${outputAlias}/${id}`, owned_by: outputAlias }
    }
    yield* webEntries(provider, inputs.filter)
  }
}

/** 4.6 Ids whose kind is not in the filter are dropped. */
function filteredIds(
  provider: ListedProvider,
  inputs: ModelListInputs,
  added: AddedModels,
): readonly string[] {
  const { known, prefixes } = provider
  return mergedIds(provider, inputs, added).filter((id) =>
    inputs.filter.has(kindOfModel(id, known, prefixes)),
  )
}

/** 4.2 to 4.5: the model ids of a provider, of any kind. */
export function mergedIds(
  provider: ListedProvider,
  { upstreamIds }: Pick<ModelListInputs, 'upstreamIds'>,
  added: AddedModels,
): readonly string[] {
  const { connection, prefixes } = provider
  const base = baseModelIds(provider)
  // 4.3 Only where the base list is empty is there an answer of an upstream.
  const asked = base.length > 0 ? base : (upstreamIds.get(connection.id) ?? [])
  // 4.4 A leading prefix is removed from each id; what is blank then is no id.
  const stripped = asked.map((id) => withoutPrefix(id, prefixes)).filter((id) => id.trim() !== '')
  // 4.5 Custom models and alias values are merged in, deduplicated.
  return [...new Set([...stripped, ...added.idsOf(prefixes)])]
}

/**
 * 4.8 When the filter has tts, the ids in ttsConfig.models are added; when it has embedding, those
 * in embeddingConfig.models. As they are: rule 4.4 is about the ids before them.
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

/** 4.9 Web search and web fetch, for providers that have the config. */
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
