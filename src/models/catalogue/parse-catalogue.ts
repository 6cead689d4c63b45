import type { ServiceKind } from '../routing-inputs.ts'
import type { Catalogue, CatalogueProvider } from './catalogue.ts'
import { CatalogueError, type CatalogueFile, catalogueError } from './catalogue-error.ts'
import { findContradictions, type PlacedRecord } from './contradictions.ts'
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
