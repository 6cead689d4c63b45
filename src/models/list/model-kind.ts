import type { CatalogueProvider } from '../catalogue/catalogue.ts'
import type { ServiceKind } from './routing-inputs.ts'

/** The first row that matches decides (docs/contract/model-list.md, "Kind of an id"). */
const kindHints = [
  { kind: 'embedding', hint: /embed/ },
  { kind: 'tts', hint: /tts|speech|audio|voice/ },
  { kind: 'image', hint: /image|dall-?e|flux|sdxl|sd-|stable-diffusion/ },
] as const satisfies readonly { readonly kind: ServiceKind; readonly hint: RegExp }[]

/** Most ids have no hint; one combined test takes less than half the time of three. */
const anyHint = new RegExp(kindHints.map(({ hint }) => hint.source).join('|'))

/** The kind that a model id suggests; default: llm. */
export function inferKind(modelId: string): ServiceKind {
  const lowerCased = modelId.toLowerCase()
  if (!anyHint.test(lowerCased)) return 'llm'
  return kindHints.find(({ hint }) => hint.test(lowerCased))?.kind ?? 'llm'
}

/**
 * The static kind of an id, otherwise the inferred one
 * (docs/contract/model-list.md, "Kind of an id"). The id is looked up both with and without its
 * prefix: the catalogue has ids that begin with the name of their own provider, such as
 * fal-ai/recraft-v3.
 */
export function kindOfModel(
  modelId: string,
  known: CatalogueProvider | undefined,
  prefixes: readonly string[],
): ServiceKind {
  return known === undefined
    ? inferKind(modelId)
    : (known.kindOfModel.get(modelId) ??
        kindOfPrefixed(modelId, known, prefixes) ??
        inferKind(modelId))
}

function kindOfPrefixed(
  modelId: string,
  { kindOfModel }: CatalogueProvider,
  prefixes: readonly string[],
): ServiceKind | undefined {
  const prefix = prefixes.find((candidate) => kindOfModel.has(candidate + modelId))
  return prefix === undefined ? undefined : kindOfModel.get(prefix + modelId)
}
