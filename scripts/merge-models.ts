import { z } from 'zod'
import { catalogueFacts } from '../src/models/list/model-facts.ts'
import { serviceKinds } from '../src/models/list/routing-inputs.ts'
import type { FoundModel } from './models-dev-checkout.ts'

/** The fields of a catalogue file that a refresh reads or changes. Other fields are kept. */
export const dataFileSchema = z.looseObject({
  id: z.string(),
  alias: z.string().optional(),
  /** Id of the provider at models.dev. Without it a provider is kept by hand. */
  modelsDevId: z.string().optional(),
  serviceKinds: z.array(z.enum(serviceKinds)),
  models: z
    .array(
      z.looseObject({
        id: z.string(),
        type: z.enum(serviceKinds).optional(),
        facts: catalogueFacts.optional(),
      }),
    )
    .optional(),
  ttsConfig: z.looseObject({ models: z.array(z.looseObject({ id: z.string() })) }).optional(),
  embeddingConfig: z.looseObject({ models: z.array(z.looseObject({ id: z.string() })) }).optional(),
})

export type DataFile = z.infer<typeof dataFileSchema>

type Entry = NonNullable<DataFile['models']>[number]

interface MergeOptions {
  /** Whether chat models that models.dev does not have are removed. */
  readonly isPruning: boolean
  /** Whether no model is added or removed. */
  readonly isFactsOnly?: boolean
}

/** The new file, and the ids to report. */
export interface Merge {
  readonly file: DataFile
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** In the file, but not at models.dev. */
  readonly unknown: readonly string[]
  /** At models.dev, but of a kind that the provider does not have here. */
  readonly skipped: readonly string[]
}

/**
 * Updates the models of a provider. Existing models keep their position and their type,
 * which was chosen by hand; their facts are those of models.dev, if it has the model. Deprecated models are removed.
 * New models come first, newest at the top.
 */
export function mergeModels(
  file: DataFile,
  found: readonly FoundModel[],
  { isPruning, isFactsOnly = false }: MergeOptions,
): Merge {
  const { models: before = [] } = file
  // Some providers ignore the case of ids, and models.dev may write it differently.
  const current = new Map(found.filter(isCurrent).map((model) => [nameOf(model), model]))
  const deprecated = new Set(found.filter((model) => !isCurrent(model)).map(nameOf))
  const present = new Set(before.map(nameOf))

  const unknown = before.filter((entry) => {
    return !current.has(nameOf(entry)) && !deprecated.has(nameOf(entry))
  })
  const pruned = new Set(isPruning ? unknown.filter(isChat).map(nameOf) : [])
  const isRemoved = (entry: { readonly id: string }) => {
    return !isFactsOnly && (deprecated.has(nameOf(entry)) || pruned.has(nameOf(entry)))
  }
  const fresh = [...current.values()].filter((model) => {
    return !isFactsOnly && !present.has(nameOf(model))
  })
  const isOurs = ({ kind }: FoundModel) => kind !== undefined && file.serviceKinds.includes(kind)
  const added = fresh.filter(isOurs).toSorted(newestFirst)
  const kept = before.filter((entry) => !isRemoved(entry))
  const models = [
    ...added.map(entryOf),
    ...kept.map((entry) => withFacts(entry, current.get(nameOf(entry)))),
  ]
  return {
    file: { ...withoutInConfigs(file, isRemoved), models },
    added: added.map(idOf),
    removed: before.filter(isRemoved).map(idOf),
    unknown: unknown.filter((entry) => !isRemoved(entry)).map(idOf),
    skipped: fresh.filter((model) => !isOurs(model)).map(idOf),
  }
}

/**
 * Removes models from the configs too, because the ids there are also listed. They omit the name of
 * the provider, because the list does not remove it
 * (docs/contract/model-list.md, "Configured models").
 */
function withoutInConfigs(
  file: DataFile,
  isRemoved: (entry: { readonly id: string }) => boolean,
): DataFile {
  const changed = { ...file }
  for (const name of ['ttsConfig', 'embeddingConfig'] as const) {
    const config = file[name]
    if (config === undefined) continue
    const names = ['', ...[file.alias ?? [], file.id].flat().map((own) => `${own}/`)]
    const models = config.models.filter(({ id }) => {
      return !names.some((own) => isRemoved({ id: own + id }))
    })
    changed[name] = { ...config, models }
  }
  return changed
}

function isCurrent({ isDeprecated }: FoundModel): boolean {
  return !isDeprecated
}

function isChat({ type = 'llm' }: Entry): boolean {
  return type === 'llm'
}

function nameOf({ id }: { readonly id: string }): string {
  return id.toLowerCase()
}

function idOf({ id }: { readonly id: string }): string {
  return id
}

function entryOf(model: FoundModel): Entry {
  const { id, kind } = model
  return withFacts(kind === undefined || kind === 'llm' ? { id } : { id, type: kind }, model)
}

function withFacts(entry: Entry, model: FoundModel | undefined): Entry {
  if (model === undefined || Object.keys(model.facts).length === 0) return entry
  return { ...entry, facts: model.facts }
}

/** Dates of models.dev compare as text. */
function newestFirst(a: FoundModel, b: FoundModel): number {
  return b.releaseDate.localeCompare(a.releaseDate) || a.id.localeCompare(b.id)
}
