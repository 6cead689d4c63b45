import type { CatalogueFile, CatalogueMistake } from './catalogue-error.ts'
import type { JsonPath } from './json-scanner.ts'
import type { ProviderRecord } from './provider-schema.ts'

/** What a provider's fields or several providers say against each other. */

/** A provider and where it is written. */
export interface PlacedRecord {
  readonly record: ProviderRecord
  readonly file: CatalogueFile
  /** Of the provider in the file: empty, or its index in the array. */
  readonly path: JsonPath
}

/** A mistake in one provider, at a path below it. */
interface Mistake {
  readonly path: JsonPath
  readonly message: string
}

/** Which config says how a kind is served. */
const configOfKind = {
  tts: 'ttsConfig',
  embedding: 'embeddingConfig',
  webSearch: 'searchConfig',
  webFetch: 'fetchConfig',
} as const

type ConfiguredKind = keyof typeof configOfKind

const configuredKinds = Object.keys(configOfKind) as ConfiguredKind[]

export function findContradictions(placed: readonly PlacedRecord[]): readonly CatalogueMistake[] {
  const idOwners = ownersOf(placed, (record) => record.id)
  const aliasOwners = ownersOf(placed, (record) => record.alias ?? record.id)
  return placed.flatMap((own) => {
    const mistakes = [
      ...clashes(own, { idOwners, aliasOwners }),
      ...modelMistakes(own.record),
      ...configuredKinds.flatMap((kind) => [...configMistakes(own.record, kind)]),
    ]
    return mistakes.map(({ path, message }) => {
      return { file: own.file, path: [...own.path, ...path], message }
    })
  })
}

/** The first provider of each name: the one that later ones clash with. */
function ownersOf(
  placed: readonly PlacedRecord[],
  nameOf: (record: ProviderRecord) => string,
): ReadonlyMap<string, PlacedRecord> {
  return new Map(placed.toReversed().map((owner) => [nameOf(owner.record), owner]))
}

type Owners = ReadonlyMap<string, PlacedRecord>

/** Two providers under one name would share the ids of the list. */
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

function* modelMistakes({ models, serviceKinds }: ProviderRecord): Iterable<Mistake> {
  const seen = new Set<string>()
  const kinds = new Set<string>(serviceKinds)
  for (const [index, { id, type }] of models.entries()) {
    if (seen.has(id)) yield { path: ['models', index, 'id'], message: `${id} is listed twice` }
    seen.add(id)
    if (!kinds.has(type)) {
      yield { path: ['models', index, 'type'], message: `${type} is not in serviceKinds` }
    }
  }
}

function* configMistakes(record: ProviderRecord, kind: ConfiguredKind): Iterable<Mistake> {
  const config = configOfKind[kind]
  const hasKind = record.serviceKinds.includes(kind)
  const hasConfig = record[config] !== undefined
  if (hasConfig && !hasKind) {
    yield { path: [config], message: `${config} needs ${kind} in serviceKinds` }
  }
  const hasModels = record.models.some(({ type }) => type === kind)
  if (hasKind && !hasConfig && !hasModels) {
    yield { path: ['serviceKinds'], message: `${kind} in serviceKinds needs ${config}` }
  }
}
