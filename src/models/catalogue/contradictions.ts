import type { CatalogueFile, CatalogueMistake } from './catalogue-error.ts'
import type { JsonPath } from './json-lines.ts'
import type { ProviderRecord } from './provider-schema.ts'

/**
 * Definitions that clash. serviceKinds, model types and configs are independent of each other
 * (docs/contract/model-list.md, "Catalogue").
 */

/** A provider and its position in a file. */
export interface PlacedRecord {
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
export function findContradictions(placed: readonly PlacedRecord[]): readonly CatalogueMistake[] {
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
