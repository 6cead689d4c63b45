import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Connection, ServiceKind } from '../routing-inputs.ts'
import { compatibleFlavour, type UpstreamFlavour } from '../upstream/flavour.ts'
import { type ListedProvider, listedProviders } from './listed-provider.ts'
import { activeConnections } from './stored-rows.ts'

/** A connection whose upstream is to be asked for its models. */
export interface UpstreamQuestion {
  readonly connectionId: string
  readonly flavour: UpstreamFlavour
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
}

export interface QuestionInputs {
  readonly filter: ReadonlySet<ServiceKind>
  readonly connections: readonly Connection[]
  readonly catalogue: Catalogue
}

/** Which upstreams the list of a filter needs: rule 4's choice of connections, then rule 4.3. */
export function upstreamQuestions(inputs: QuestionInputs): readonly UpstreamQuestion[] {
  const { filter, connections, catalogue } = inputs
  return listedProviders(activeConnections(connections), catalogue, filter).flatMap((provider) => {
    const flavour = askedFlavour(provider)
    const { id: connectionId, baseUrl, apiKey } = provider.connection
    return flavour === undefined ? [] : [{ connectionId, flavour, baseUrl, apiKey }]
  })
}

/** A separator followed by eight or more hex characters, at the end of a provider id. */
const hexEnding = /[-_][0-9a-f]{8,}$/i

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
