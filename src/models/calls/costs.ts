import { ApiError } from '../../platform/json-api/api-error.ts'
import type { CallTarget } from '../list/resolve-model.ts'
import type { ModelPrice } from '../list/routing-inputs.ts'
import type { KeyUse } from '../usage/usage-table.ts'
import type { BodyFields } from './call-body.ts'
import { quoted } from './call-index.ts'
import type { Tokens } from './reported-usage.ts'

/** What is expected of an answer whose length the client does not limit. */
const expectedOutput = 1_000
/** More is not reserved: no model answers with more tokens. */
const maxOutput = 1_000_000

/** More is a wrong price, and would add up to sums that cannot be stored. */
const maxMicros = 1e9

/** The price of tokens, in millionths of a US dollar: at least the true one, so that no call is free. */
export function costOf(price: ModelPrice, tokens: Tokens): number {
  const { cacheRead: read = 0, cacheWrite: written = 0 } = tokens
  const plain = Math.max(0, tokens.input - read - written)
  const { cacheRead = price.input, cacheWrite = price.input } = price
  const input = plain * price.input + read * cacheRead + written * cacheWrite
  // The sum of decimal fractions may exceed the true one by less than this.
  const micros = Math.ceil(input + tokens.output * price.output - 1e-6)
  return Math.min(Math.max(0, micros), maxMicros)
}

/** What a call uses at least, and at most if its client limits the answer, to reserve it. */
export function expectedUse(
  tokens: number,
  targets: readonly CallTarget[],
  fields: BodyFields,
): KeyUse {
  const given =
    fields.value('max_completion_tokens') ??
    fields.value('max_output_tokens') ??
    fields.value('max_tokens')
  const output =
    typeof given === 'number' && given > 0 ? Math.min(given, maxOutput) : expectedOutput
  const costs = targets.map(({ price }) =>
    price === undefined ? 0 : costOf(price, { input: tokens, output }),
  )
  return { tokens, micros: Math.max(0, ...costs) }
}

/** The targets whose calls can be counted against a limit in money. @throws ApiError 403 if there are none */
export function withPrice(targets: readonly CallTarget[], model: string): readonly CallTarget[] {
  const priced = targets.filter(({ price }) => price !== undefined)
  if (priced.length > 0) return priced
  const message = `The price of the model ${quoted(model)} is not known, and the key has a limit in US dollars. Enter the price in its connection, or add it as a custom model with a price.`
  throw new ApiError(403, message, { code: 'model_not_allowed' })
}
