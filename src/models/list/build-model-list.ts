import type { Catalogue } from '../catalogue/catalogue.ts'
import type { ModelEntry } from './list-schemas.ts'
import {
  baseModelIds,
  doesServeAny,
  kindOfModel,
  type ListedConnections,
  type ListedProvider,
  listedConnections,
  ownModelId,
  withoutPrefix,
} from './listed-provider.ts'
import type { Combo, Connection, CustomModel, ModelAliases, ServiceKind } from './routing-inputs.ts'
import { aliasedModels, type LlmCustomModel, listedCombos, llmCustomModels } from './stored-rows.ts'

/**
 * Builds the list in the order of docs/contract/model-list.md, "Inputs" and the sections after it.
 */

export interface ModelListInputs {
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

/** An entry in the lists of its kind, unless an earlier one has the same id. */
export interface Candidate extends Pick<ModelEntry, 'id' | 'owned_by'> {
  readonly kind: ServiceKind
  /** Absent if no connection has the model. */
  readonly provider?: ListedProvider
  /** The provider's own id of the model. */
  readonly ownId?: string
}

interface ProviderModel {
  /** Without a prefix. */
  readonly id: string
  readonly kind: ServiceKind
  readonly ownId: string
}

/** @param listed the connections of the inputs, if already read. */
export function buildModelList(
  inputs: ModelListInputs,
  listed?: ListedConnections,
): readonly ModelEntry[] {
  return [...modelEntries(inputs, listed)]
}

/** As `buildModelList`, one entry at a time: only the entries that are read are built. */
export function* modelEntries(
  inputs: ModelListInputs,
  listed: ListedConnections = listedConnections(inputs),
): Iterable<ModelEntry> {
  const created = Math.floor(inputs.nowMs / 1_000)
  const ids = new Set<string>()
  for (const { id, owned_by, kind } of candidates(inputs, listed)) {
    // docs/contract/model-list.md, "Duplicates".
    if (!inputs.filter.has(kind) || ids.has(id)) continue
    ids.add(id)
    const entry = { id, object: 'model', created, owned_by } as const
    yield kind === 'webSearch' || kind === 'webFetch' ? { ...entry, kind } : entry
  }
}

/** The entries of the lists of all kinds, in the order of each list. */
export function* candidates(
  inputs: Omit<ModelListInputs, 'nowMs'>,
  { isEmpty, providers }: ListedConnections,
): Iterable<Candidate> {
  // docs/contract/model-list.md, "Combos".
  for (const { name, kind } of listedCombos(inputs.combos)) {
    yield { id: name, owned_by: 'combo', kind }
  }
  if (isEmpty) yield* staticEntries(inputs)
  else yield* connectionEntries(inputs, providers)
}

type StaticInputs = Pick<ModelListInputs, 'catalogue' | 'customModels' | 'filter'>

/** docs/contract/model-list.md, "Without active connections". */
function* staticEntries({ catalogue, customModels, filter }: StaticInputs): Iterable<Candidate> {
  for (const { alias, models, serviceKinds } of catalogue.providers) {
    if (!doesServeAny(serviceKinds, filter)) continue
    for (const [id, { kind }] of models) yield { id: `${alias}/${id}`, owned_by: alias, kind }
  }
  for (const { id, providerAlias } of llmCustomModels(customModels)) {
    yield { id: `${providerAlias}/${id}`, owned_by: providerAlias, kind: 'llm' }
  }
}

type ConnectionInputs = Pick<ModelListInputs, 'customModels' | 'modelAliases' | 'upstreamIds'>

/** docs/contract/model-list.md, "Connected providers". */
function* connectionEntries(
  inputs: ConnectionInputs,
  providers: readonly ListedProvider[],
): Iterable<Candidate> {
  const added = new AddedModels(inputs)
  /** Output aliases whose added models are listed: there may be thousands, and a thousand providers may share an alias. */
  const complete = new Set<string>()
  for (const provider of providers) {
    const { outputAlias, known, prefixes } = provider
    const isRepeated = known === undefined && complete.has(outputAlias)
    const names = isRepeated ? prefixes.filter((prefix) => prefix !== `${outputAlias}/`) : prefixes
    if (known === undefined) complete.add(outputAlias)
    for (const model of modelsOf(provider, inputs, added.idsOf(names, prefixes))) {
      yield { ...model, id: `${outputAlias}/${model.id}`, owned_by: outputAlias, provider }
    }
  }
}

/** The models of a provider, of any kind. */
function* modelsOf(
  provider: ListedProvider,
  inputs: Pick<ModelListInputs, 'upstreamIds'>,
  added: readonly string[],
): Iterable<ProviderModel> {
  const { known } = provider
  for (const [id, ownId] of mergedIds(provider, inputs, added)) {
    yield { id, kind: kindOfModel(id, provider), ownId }
  }
  // docs/contract/model-list.md, "Configured models". The prefix is not removed from these ids.
  for (const id of known?.ttsModelIds ?? []) yield { id, kind: 'tts', ownId: id }
  for (const id of known?.embeddingModelIds ?? []) yield { id, kind: 'embedding', ownId: id }
  // docs/contract/model-list.md, "Web entries".
  if (known?.canSearch === true) yield { id: 'search', kind: 'webSearch', ownId: 'search' }
  if (known?.canFetch === true) yield { id: 'fetch', kind: 'webFetch', ownId: 'fetch' }
}

/**
 * The ids of a provider, of any kind (docs/contract/model-list.md, "Base ids" and "Added models"),
 * each with the provider's own id of the model.
 */
function mergedIds(
  provider: ListedProvider,
  { upstreamIds }: Pick<ModelListInputs, 'upstreamIds'>,
  added: readonly string[],
): ReadonlyMap<string, string> {
  const { connection, prefixes } = provider
  const base = baseModelIds(provider)
  // docs/contract/model-list.md, "Ids from the upstream": only where there are no base ids.
  const asked = base.length > 0 ? base : (upstreamIds.get(connection.id) ?? [])
  const merged = new Map<string, string>()
  for (const given of asked) {
    // docs/contract/model-list.md, "Removed prefixes". Ids that are blank afterwards are dropped.
    const id = withoutPrefix(given, prefixes)
    if (id.trim() !== '' && !merged.has(id)) merged.set(id, ownModelId(id, given, provider))
  }
  for (const id of added) if (!merged.has(id)) merged.set(id, ownModelId(id, id, provider))
  return merged
}

interface Placed<Row> {
  readonly row: Row
  /** The position among all stored rows. */
  readonly position: number
}

type Groups<Row> = ReadonlyMap<string, readonly Placed<Row>[]>

/**
 * The models added to a provider under any of its names (docs/contract/model-list.md, "Added
 * models"). Grouped once, because scanning thousands of rows for each provider would take longer
 * than the rest of the list.
 */
class AddedModels {
  readonly #customs: Groups<LlmCustomModel>
  /** Grouped by the text up to the first slash. */
  readonly #aliased: Groups<string>

  constructor({ customModels, modelAliases }: ConnectionInputs) {
    this.#customs = grouped(
      llmCustomModels(customModels),
      ({ providerAlias }) => `${providerAlias}/`,
    )
    this.#aliased = grouped(aliasedModels(modelAliases), upToSlash)
  }

  /**
   * Ids of custom models of a provider, then those of alias values without their prefix.
   *
   * @param names the names of the provider whose models are wanted, with the slash.
   * @param prefixes all names of the provider.
   */
  idsOf(names: readonly string[], prefixes: readonly string[]): readonly string[] {
    const customs = taken(this.#customs, names)
    const candidates = taken(this.#aliased, new Set(names.map(upToSlash)))
    const aliased = candidates.filter((value) => names.some((name) => value.startsWith(name)))
    return [...customs.map(({ id }) => id), ...aliased.map((id) => withoutPrefix(id, prefixes))]
  }
}

function grouped<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Groups<Row> {
  const placed = rows.map((row, position) => ({ row, position }))
  return Map.groupBy(placed, ({ row }) => keyOf(row))
}

/** The rows of these groups, in stored order. */
function taken<Row>(groups: Groups<Row>, keys: Iterable<string>): readonly Row[] {
  const placed = [...keys].flatMap((key) => groups.get(key) ?? [])
  return placed.toSorted((a, b) => a.position - b.position).map(({ row }) => row)
}

/** A prefix may contain a slash, so its first segment finds all candidates. */
function upToSlash(value: string): string {
  return value.slice(0, value.indexOf('/') + 1)
}
