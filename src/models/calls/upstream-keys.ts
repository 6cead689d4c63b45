import type { CallTarget } from '../list/resolve-model.ts'

/** Shorter ones, such as the `x` of a server that wants none, are parts of other words. */
const leastSecretLength = 8

/** Finds the keys of upstreams, which no answer may show. */
export class UpstreamKeys {
  readonly #patterns: readonly RegExp[]

  constructor(targets: readonly CallTarget[]) {
    const keys = new Set(targets.flatMap(({ connection: { apiKey } }) => apiKey?.trim() || []))
    // Also as JSON may write them.
    const written = [...keys].flatMap((key) => [key, key.replaceAll('/', '\\/')])
    this.#patterns = [...new Set(written)].map(patternOf)
  }

  readonly isIn = (text: string): boolean => this.#patterns.some((one) => text.search(one) >= 0)

  /** The same bytes if they have none. */
  removedFrom(body: Buffer): Buffer {
    // A character for each byte, so that what is no UTF-8 stays.
    const text = body.toString('latin1')
    if (!this.isIn(text)) return body
    return Buffer.from(
      this.#patterns.reduce((rest, one) => rest.replaceAll(one, '***'), text),
      'latin1',
    )
  }
}

function patternOf(key: string): RegExp {
  const escaped = key.replaceAll(/[^\w]/g, '\\$&')
  const isSecret = key.length >= leastSecretLength
  return new RegExp(isSecret ? escaped : `(?<![\\w-])${escaped}(?![\\w-])`, 'g')
}
