import type { ServiceKind } from '../list/routing-inputs.ts'
import type { Catalogue, CatalogueProvider } from './catalogue.ts'
import {
  CatalogueError,
  type CatalogueFile,
  type CatalogueMistake,
  catalogueError,
} from './catalogue-error.ts'
import { type JsonPath, syntaxMistake } from './json-lines.ts'
import { type ProviderRecord, providerSchema } from './provider-schema.ts'

/**
 * Parses catalogues: the built-in data and the file of MODEL_CATALOGUE. Providers keep the order of
 * the files and of their arrays.
 *
 * @throws CatalogueError with all mistakes.
 */
export function parseCatalogue(files: readonly CatalogueFile[]): Catalogue {
  const placed = files.flatMap(readRecords)
  const contradictions = findContradictions(placed)
  if (contradictions.length > 0) throw catalogueError(contradictions)
  const providers = placed.map(({ record }) => prepareProvider(record))
  return { providers, byId: new Map(providers.map((provider) => [provider.id, provider])) }
}

function readRecords(file: CatalogueFile): readonly PlacedRecord[] {
  const content = parseJson(file)
  const entries = Array.isArray(content) ? content : [content]
  const results = entries.map((entry, index) => {
    return { parsed: providerSchema.safeParse(entry), path: entries === content ? [index] : [] }
  })
  const mistakes = results.flatMap(({ parsed, path }) => {
    const issues = parsed.error?.issues ?? []
    return issues.map((issue) => {
      return { file, path: [...path, ...(issue.path as JsonPath)], message: issue.message }
    })
  })
  if (mistakes.length > 0) throw catalogueError(mistakes)
  return results.flatMap(({ parsed, path }) => {
    return parsed.success ? [{ record: parsed.data, file, path }] : []
  })
}

function parseJson({ name: fileName, text }: CatalogueFile): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CatalogueError([{ fileName, field: '', ...syntaxMistake(text) }], { cause })
  }
}

function prepareProvider(record: ProviderRecord): CatalogueProvider {
  const models = record.models.map(({ id, type }) => ({ id, kind: type }))
  return {
    id: record.id,
    alias: record.alias ?? record.id,
    serviceKinds: new Set(record.serviceKinds),
    models,
    kindOfModel: new Map<string, ServiceKind>(models.map(({ id, kind }) => [id, kind])),
    ttsModelIds: record.ttsConfig?.models.map(({ id }) => id) ?? [],
    embeddingModelIds: record.embeddingConfig?.models.map(({ id }) => id) ?? [],
    canSearch: record.searchConfig !== undefined,
    canFetch: record.fetchConfig !== undefined,
    modelsApi: record.modelsApi,
  }
}

/**
 * Definitions that clash. serviceKinds, model types and configs are independent of each other
 * (docs/contract/model-list.md, "Catalogue").
 */

/** A provider and its position in a file. */
interface PlacedRecord {
  readonly record: ProviderRecord
  readonly file: CatalogueFile
  /** The path of the provider in the file: empty, or its index in the array. */
  readonly path: JsonPath
}

/** A mistake in one provider, at a path below it. */
interface Mistake {
  readonly path: JsonPath
  readonly message: string
}

/** @returns ambiguities of a catalogue: ids, aliases and models that are defined twice. */
function findContradictions(placed: readonly PlacedRecord[]): readonly CatalogueMistake[] {
  const idOwners = ownersOf(placed, (record) => record.id)
  const aliasOwners = ownersOf(placed, (record) => record.alias ?? record.id)
  return placed.flatMap((own) => {
    const mistakes = [...clashes(own, { idOwners, aliasOwners }), ...repeatedModels(own.record)]
    return mistakes.map(({ path, message }) => {
      return { file: own.file, path: [...own.path, ...path], message }
    })
  })
}

/** The first provider of each name, which later ones clash with. */
function ownersOf(
  placed: readonly PlacedRecord[],
  nameOf: (record: ProviderRecord) => string,
): ReadonlyMap<string, PlacedRecord> {
  return new Map(placed.toReversed().map((owner) => [nameOf(owner.record), owner]))
}

type Owners = ReadonlyMap<string, PlacedRecord>

/** Two providers with the same name would share ids in the list. */
function* clashes(
  own: PlacedRecord,
  { idOwners, aliasOwners }: { readonly idOwners: Owners; readonly aliasOwners: Owners },
): Iterable<Mistake> {
  const { id, alias = id } = own.record
  if (idOwners.get(id) !== own) {
    yield { path: ['id'], message: `another provider has the id ${id}` }
    return
  }
  if (aliasOwners.get(alias) !== own) {
    yield { path: ['alias'], message: `another provider has the alias ${alias}` }
  }
  const namesake = idOwners.get(alias)
  if (namesake !== undefined && namesake !== own) {
    yield { path: ['alias'], message: `${alias} is the id of another provider` }
  }
}

function* repeatedModels({ models }: ProviderRecord): Iterable<Mistake> {
  const seen = new Set<string>()
  for (const [index, { id }] of models.entries()) {
    if (seen.has(id)) yield { path: ['models', index, 'id'], message: `${id} is listed twice` }
    seen.add(id)
  }
}
