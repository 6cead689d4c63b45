import { type ListedProvider, withoutPrefix } from './listed-provider.ts'

export interface PrefixedModel {
  readonly provider: ListedProvider
  /** The model id without the prefix. */
  readonly id: string
}

/**
 * Finds listed providers by prefix in time independent of their number
 * (docs/contract/model-list.md, "Removed prefixes" and "Added models").
 */
export class ProvidersByPrefix {
  /** By the first segment of each prefix, with its slash. */
  readonly #bySegment: ReadonlyMap<string, readonly ListedProvider[]>

  constructor(providers: readonly ListedProvider[]) {
    const bySegment = new Map<string, Set<ListedProvider>>()
    for (const provider of providers) {
      for (const prefix of provider.prefixes) {
        const segment = firstSegment(prefix)
        bySegment.set(segment, (bySegment.get(segment) ?? new Set()).add(provider))
      }
    }
    this.#bySegment = new Map([...bySegment].map(([segment, found]) => [segment, [...found]]))
  }

  /** Providers with the prefix `<name>/`. */
  named(name: string): readonly ListedProvider[] {
    const prefix = `${name}/`
    const candidates = this.#bySegment.get(firstSegment(prefix)) ?? []
    return candidates.filter(({ prefixes }) => prefixes.includes(prefix))
  }

  /** Providers that `<prefix>/<model id>` may belong to. */
  ofModel(model: string): readonly PrefixedModel[] {
    const candidates = this.#bySegment.get(firstSegment(model)) ?? []
    return candidates
      .filter(({ prefixes }) => prefixes.some((prefix) => model.startsWith(prefix)))
      .map((provider) => ({ provider, id: withoutPrefix(model, provider.prefixes) }))
  }
}

function firstSegment(text: string): string {
  return text.slice(0, text.indexOf('/') + 1)
}
