import { withoutPrefix } from './listed-provider.ts'
import type { CustomModel, ModelAliases } from './routing-inputs.ts'
import { aliasedModels, type LlmCustomModel, llmCustomModels } from './stored-rows.ts'

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
export class AddedModels {
  readonly #customs: Groups<LlmCustomModel>
  /** Grouped by the text up to the first slash. */
  readonly #aliased: Groups<string>

  constructor({
    customModels,
    modelAliases,
  }: {
    readonly customModels: readonly CustomModel[]
    readonly modelAliases: ModelAliases
  }) {
    this.#customs = grouped(
      llmCustomModels(customModels),
      ({ providerAlias }) => `${providerAlias}/`,
    )
    this.#aliased = grouped(aliasedModels(modelAliases), upToSlash)
  }

  /**
   * Ids of custom models of a provider, then those of alias values without their prefix.
   *
   * @param names the models of which names of the provider, with the slash.
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
