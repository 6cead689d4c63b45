import { join } from 'node:path'
import { z } from 'zod'
import { readBoundedFile } from '../../platform/process/bounded-file.ts'
import { packageFolder } from '../../platform/process/package-folder.ts'
import { catalogueFacts, factsOfCatalogue, type ModelFacts } from '../list/model-facts.ts'
import { type ServiceKind, serviceKinds } from '../list/routing-inputs.ts'
import { isUpstreamUrl, type ModelsApi } from '../upstream/upstream.ts'
import {
  CatalogueError,
  type CatalogueFile,
  type CatalogueMistake,
  catalogueError,
  type JsonPath,
  syntaxMistake,
} from './catalogue-error.ts'

/** The static knowledge about providers, indexed for the list. */
export interface Catalogue {
  /** In the order of the list without active connections. */
  readonly providers: readonly CatalogueProvider[]
  readonly byId: ReadonlyMap<string, CatalogueProvider>
}

export interface CatalogueProvider {
  readonly id: string
  /** The static alias and provider alias in one (docs/contract/model-list.md, "Output alias"). */
  readonly alias: string
  readonly serviceKinds: ReadonlySet<ServiceKind>
  /** By their ids, in the order of the list. */
  readonly models: ReadonlyMap<string, CatalogueModel>
  /** Ids in ttsConfig.models; empty without that config. */
  readonly ttsModelIds: readonly string[]
  /** Ids in embeddingConfig.models; empty without that config. */
  readonly embeddingModelIds: readonly string[]
  /** Whether it has a searchConfig. */
  readonly canSearch: boolean
  /** Whether it has a fetchConfig. */
  readonly canFetch: boolean
  /** Undefined if no address is known: connections to this provider cannot be tested. */
  readonly modelsApi: ModelsApi | undefined
}

interface CatalogueModel {
  readonly kind: ServiceKind
  readonly facts: ModelFacts | undefined
}

/** A provider in a catalogue file. Other fields, such as `evidence`, are allowed and ignored. */

/** Ids and aliases become the part before the slash of `<alias>/<model_id>`. */
const nameInIds = z.string().regex(/^[^\s/]+$/, 'expected text without white space or slashes')

const modelId = z.string().regex(/\S/, 'expected a model id')

/** Absent means llm (docs/contract/model-list.md, "Inputs"). */
const modelType = z.enum(['llm', 'image', 'tts', 'embedding', 'stt', 'imageToText'])

const configWithModels = z.looseObject({ models: z.array(z.looseObject({ id: modelId })) })

const modelsApi = z.strictObject({
  flavour: z.enum(['openai', 'anthropic']),
  baseUrl: z.string().refine(isUpstreamUrl, 'expected an http or https URL without credentials'),
})

const providerSchema = z.looseObject({
  id: nameInIds,
  alias: nameInIds.optional(),
  name: z.string().optional(),
  serviceKinds: z.array(z.enum(serviceKinds)).min(1).default(['llm']),
  models: z
    .array(
      z.looseObject({
        id: modelId,
        type: modelType.default('llm'),
        facts: catalogueFacts.optional(),
      }),
    )
    .default([]),
  ttsConfig: configWithModels.optional(),
  embeddingConfig: configWithModels.optional(),
  searchConfig: z.looseObject({}).optional(),
  fetchConfig: z.looseObject({}).optional(),
  modelsApi: modelsApi.optional(),
})

type ProviderRecord = z.infer<typeof providerSchema>

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
  const models = record.models.map(({ id, type: kind, facts }) => {
    return [id, { kind, facts: facts && factsOfCatalogue(facts) }] as const
  })
  return {
    id: record.id,
    alias: record.alias ?? record.id,
    serviceKinds: new Set(record.serviceKinds),
    models: new Map(models),
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

/** The built-in data: one file per provider, and their order. */
export const dataFolder = join(packageFolder, 'src/models/catalogue/data')

/** Ids of the providers of the built-in data, in the order of the list. */
export const orderFileName = 'order.json'

/**
 * Reads the static catalogue: the file that MODEL_CATALOGUE names, or the built-in data.
 *
 * @throws CatalogueError with a message to show if it cannot be read or used.
 */
export async function readCatalogue(path: string | undefined): Promise<Catalogue> {
  const files = path === undefined ? await readDataFiles(dataFolder) : [readText(path, path)]
  return parseCatalogue(files)
}

/** The unparsed files of the built-in data, in the order of their providers. */
export async function readDataFiles(folder: string): Promise<readonly CatalogueFile[]> {
  const order = readText(join(folder, orderFileName), orderFileName)
  const names = z
    .array(z.string())
    .parse(JSON.parse(order.text))
    .map((id) => `${id}.json`)
  return names.map((name) => readText(join(folder, name), name))
}

function readText(path: string, name: string): CatalogueFile {
  try {
    const text = readBoundedFile(path).toString()
    // Some editors write a byte order mark, which JSON does not allow (RFC 8259 section 8.1).
    return { name, text: text.replace(/^\uFEFF/, '') }
  } catch (cause) {
    const isLarge = (cause as NodeJS.ErrnoException).code === 'EFBIG'
    const message = isLarge ? 'the file is too large' : 'the file cannot be read'
    throw unreadable(name, message, { cause })
  }
}

function unreadable(fileName: string, message: string, options?: ErrorOptions): CatalogueError {
  return new CatalogueError([{ fileName, line: 1, field: '', message }], options)
}
