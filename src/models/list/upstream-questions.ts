import { compatibleFlavour, hexEnding, type UpstreamFlavour } from '../upstream/flavour.ts'
import type { ListedProvider } from './listed-provider.ts'

/** A connection whose upstream will be asked for its models. */
export interface UpstreamQuestion {
  readonly connectionId: string
  readonly flavour: UpstreamFlavour
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
}

/** Upstreams to ask for these providers: docs/contract/model-list.md, "Ids from the upstream". */
export function upstreamQuestions(
  providers: readonly ListedProvider[],
): readonly UpstreamQuestion[] {
  return providers.flatMap((provider) => {
    const flavour = askedFlavour(provider)
    const { id: connectionId, baseUrl, apiKey } = provider.connection
    return flavour === undefined ? [] : [{ connectionId, flavour, baseUrl, apiKey }]
  })
}

/**
 * Compatible providers without base ids are asked, unless their id ends in hexadecimal digits
 * (docs/contract/model-list.md, "Ids from the upstream").
 */
function askedFlavour(provider: ListedProvider): UpstreamFlavour | undefined {
  const hasBaseModels = baseModelIds(provider).length > 0
  if (hasBaseModels || hexEnding.test(provider.id)) return undefined
  return compatibleFlavour(provider.id)
}

/** docs/contract/model-list.md, "Base ids". */
export function baseModelIds({ connection, known }: ListedProvider): readonly string[] {
  return connection.enabledModels ?? known?.models.map(({ id }) => id) ?? []
}
