import { ApiError } from '../../platform/json-api/api-error.ts'
import type { CallTarget } from '../list/resolve-model.ts'
import type { ModelPrice } from '../list/routing-inputs.ts'
import type { KeyUse } from '../usage/usage-table.ts'
import type { CallBody } from './call-body.ts'
import { quoted } from './call-index.ts'
import type { CallPath } from './call-paths.ts'
import type { Reserved } from './key-limits.ts'
import type { BodyField } from './model-name.ts'
import type { Tokens } from './reported-usage.ts'

/** The longest answers of current models, for one whose limit is not known. */
const unknownOutput = 128_000
/** More is not reserved for one answer, whatever a client allows. */
const mostOutput = 1_000_000
const maxAnswers = 1_000
/** The same for models that do not write texts: images and speech are billed by other units. */
const otherOutput = 1_000

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

/** A token has about four characters, and most characters have one byte. */
export const bytesPerToken = 4

/** An estimate for streams that report no tokens, or are cut off before they do. */
export function estimatedTokensOf({ kinds, isFree }: CallPath, bytes: number): number {
  return kinds.has('llm') && isFree !== true ? Math.ceil(bytes / bytesPerToken) : 0
}

/**
 * What a call uses at most: what its client allows, otherwise all that a model can write. The fields are those of the path,
 * because an upstream ignores others.
 */
export function mostUsed(
  path: CallPath,
  { fields, bytes }: Pick<CallBody, 'fields' | 'bytes'>,
  targets: readonly CallTarget[],
): Reserved {
  const inputTokens = estimatedTokensOf(path, bytes)
  const numbers = (names: readonly BodyField[]) =>
    names.flatMap((name) => {
      const value = fields.value(name)
      return typeof value === 'number' && value > 0 ? [value] : []
    })
  const given = numbers(
    path.path.startsWith('/responses')
      ? ['max_output_tokens']
      : path.path === '/chat/completions'
        ? ['max_tokens', 'max_completion_tokens']
        : ['max_tokens'],
  )
  const answers = Math.min(Math.max(1, ...numbers(['n', 'best_of'])), maxAnswers)
  const uses = targets.map(({ price, maxOutput }) => {
    const most = path.kinds.has('llm') ? (maxOutput ?? unknownOutput) : otherOutput
    const one = given.length === 0 ? most : Math.min(Math.max(...given), maxOutput ?? mostOutput)
    const output = Math.ceil(one * answers)
    const plain = { input: inputTokens, output }
    // An upstream may write all of the input to its cache.
    const possible = [plain, { ...plain, cacheWrite: inputTokens }]
    const costs = price === undefined ? [] : possible.map((tokens) => costOf(price, tokens))
    return { tokens: inputTokens + output, micros: Math.max(0, ...costs) }
  })
  const most = (of: keyof KeyUse) => Math.max(0, ...uses.map((use) => use[of]))
  return { inputTokens, tokens: most('tokens'), micros: most('micros') }
}

/** The targets whose calls can be counted against a limit in money. @throws ApiError 403 if there are none */
export function withPrice(targets: readonly CallTarget[], model: string): readonly CallTarget[] {
  const priced = targets.filter(({ price }) => price !== undefined)
  if (priced.length > 0) return priced
  const message = `The price of the model ${quoted(model)} is not known, and the key has a limit in US dollars. Enter the price in its connection, or add it as a custom model with a price.`
  throw new ApiError(403, message, { code: 'model_not_allowed' })
}
