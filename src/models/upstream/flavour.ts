/** How an upstream is asked for its models. */
export type UpstreamFlavour = 'openai' | 'anthropic'

/** Where a provider of the catalogue lists its models. Used for connection tests only. */
export interface ModelsApi {
  readonly flavour: UpstreamFlavour
  /** The models are at `<baseUrl>/models`. */
  readonly baseUrl: string
}

/** Decision: the beginning of the provider id says what a person's own provider speaks. */
const prefixOfFlavour = {
  openai: 'openai-compatible-',
  anthropic: 'anthropic-compatible-',
} as const satisfies Record<UpstreamFlavour, string>

/** Undefined for providers that are not asked. */
export function compatibleFlavour(providerId: string): UpstreamFlavour | undefined {
  if (providerId.startsWith(prefixOfFlavour.openai)) return 'openai'
  if (providerId.startsWith(prefixOfFlavour.anthropic)) return 'anthropic'
  return undefined
}
