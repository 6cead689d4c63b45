/** The API of an upstream. */
export type UpstreamFlavour = 'openai' | 'anthropic'

/** Where a provider of the catalogue lists its models. Used for connection tests only. */
export interface ModelsApi {
  readonly flavour: UpstreamFlavour
  /** The models are at `<baseUrl>/models`. */
  readonly baseUrl: string
}

/**
 * The beginning of the provider id says which API the provider has
 * (docs/contract/model-list.md, "Ids from the upstream").
 */
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

/**
 * A separator and eight or more hexadecimal characters at the end of a provider id
 * (docs/contract/model-list.md, "Ids from the upstream").
 */
export const hexEnding = /[-_][0-9a-f]{8,}$/i
