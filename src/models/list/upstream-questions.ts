import { compatibleFlavour, type UpstreamFlavour } from '../upstream/flavour.ts'
import { hexEnding } from '../upstream/hex-ending.ts'
import type { ListedProvider } from './listed-provider.ts'

/** A connection whose upstream is to be asked for its models. */
export interface UpstreamQuestion {
  readonly connectionId: string
  readonly flavour: UpstreamFlavour
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
}

/** Which upstreams are needed to list these providers: rule 4.3. */
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
 * Rule 4.3: compatible providers without models of their own are asked, unless their id ends like
 * a generated one.
 */
function askedFlavour(provider: ListedProvider): UpstreamFlavour | undefined {
  const hasBaseModels = baseModelIds(provider).length > 0
  if (hasBaseModels || hexEnding.test(provider.id)) return undefined
  return compatibleFlavour(provider.id)
}

/** Rule 4.2: enabledModels when that array is non-empty, otherwise the static ids. */
export function baseModelIds({ connection, known }: ListedProvider): readonly string[] {
  return connection.enabledModels ?? known?.models.map(({ id }) => id) ?? []
}
