import { z } from 'zod'
import { fieldOf } from '../../platform/text/json-text.ts'
import type { ModelPrice } from './routing-inputs.ts'

/**
 * What is known about a model, under the names that clients read: those of OpenRouter's list
 * (https://openrouter.ai/docs/api-reference/list-available-models), and `max_output_tokens`. Unknown fields are absent.
 */
export const modelFacts = z
  .object({
    name: z.string(),
    context_length: z.int().describe('Tokens of a request and its answer together'),
    max_output_tokens: z.int(),
    created: z.int().describe('Unix seconds'),
    architecture: z.object({
      input_modalities: z.array(z.string()).readonly(),
      output_modalities: z.array(z.string()).readonly(),
    }),
    supported_parameters: z.array(z.string()).readonly(),
    pricing: z
      .record(z.string(), z.string())
      .describe('US dollars per token: prompt, completion, input_cache_read, input_cache_write'),
  })
  .partial()
  .readonly()

export type ModelFacts = z.output<typeof modelFacts>

/** USD per million tokens: input, output, cached input, input that is written to a cache. */
const cost = z.array(z.number().nonnegative().nullable()).min(2).max(4)

/** The facts of a model in the catalogue (docs/model-catalogue.md). */
export const catalogueFacts = z.strictObject({
  name: z.string().optional(),
  context: z.int().positive().optional(),
  output: z.int().positive().optional(),
  modality: z
    .string()
    .regex(/^[a-z]+(\+[a-z]+)*->[a-z]+(\+[a-z]+)*$/, 'expected text such as text+image->text')
    .optional(),
  parameters: z.array(z.string()).optional(),
  cost: cost.optional(),
})

export type CatalogueFacts = z.output<typeof catalogueFacts>

/** The prices of `cost`, in its order. */
const prices = ['prompt', 'completion', 'input_cache_read', 'input_cache_write'] as const

export function factsOfCatalogue({
  name,
  context,
  output,
  modality,
  parameters,
  cost = [],
}: CatalogueFacts): ModelFacts {
  const [input_modalities = [], output_modalities = []] =
    modality?.split('->').map((side) => side.split('+')) ?? []
  const pricing = prices.flatMap((price, index) => {
    const perMillion = cost[index] ?? undefined
    return perMillion === undefined ? [] : [[price, perToken(perMillion)] as const]
  })
  return present({
    name,
    context_length: context,
    max_output_tokens: output,
    architecture: modality === undefined ? undefined : { input_modalities, output_modalities },
    supported_parameters: parameters,
    pricing: pricing.length === 0 ? undefined : Object.fromEntries(pricing),
  })
}

/** Without an exponent, as OpenRouter writes prices. */
function perToken(perMillion: number): string {
  return (perMillion / 1_000_000).toFixed(12).replace(/\.?0+$/, '')
}

/** The price per million tokens; undefined unless those of input and output are known. */
export function priceOfFacts({ pricing = {} }: ModelFacts = {}): ModelPrice | undefined {
  const [input, output, cacheRead, cacheWrite] = prices.map((price) => {
    const perToken = pricing[price]
    return perToken === undefined ? undefined : Number(perToken) * 1_000_000
  })
  if (input === undefined || output === undefined) return undefined
  return { input, output, cacheRead, cacheWrite }
}

/** Fields of lists of upstreams, the first one that is there counts. */
const upstreamFields = {
  // Anthropic, OpenRouter; Anthropic and Together
  name: ['display_name', 'name'],
  // OpenRouter, Together · Groq · vLLM · Mistral · Anthropic
  context: [
    'context_length',
    'context_window',
    'max_model_len',
    'max_context_length',
    'max_input_tokens',
  ],
  // ours · Groq · Anthropic
  output: ['max_output_tokens', 'max_completion_tokens', 'max_tokens'],
} as const

/** The longest name, parameter and number of them that are taken from an upstream. */
const maxLength = 200
const maxEntries = 64

/** The facts in an element of an upstream's list. What has another form is left out. */
export function factsOfUpstream(element: unknown, id: string): ModelFacts {
  const first = <Value>(names: readonly string[], read: (value: unknown) => Value | undefined) =>
    names.map((name) => read(fieldOf(element, name))).find((value) => value !== undefined)
  const architecture = fieldOf(element, 'architecture')
  const input_modalities = words(fieldOf(architecture, 'input_modalities'))
  const output_modalities = words(fieldOf(architecture, 'output_modalities'))
  return present({
    name: first(upstreamFields.name, (value) => (value === id ? undefined : word(value))),
    context_length: first(upstreamFields.context, count),
    max_output_tokens:
      first(upstreamFields.output, count) ??
      count(fieldOf(fieldOf(element, 'top_provider'), 'max_completion_tokens')),
    created: timeOf(fieldOf(element, 'created')) ?? timeOf(fieldOf(element, 'created_at')),
    architecture:
      input_modalities && output_modalities ? { input_modalities, output_modalities } : undefined,
    supported_parameters: words(fieldOf(element, 'supported_parameters')),
    pricing: pricesOf(fieldOf(element, 'pricing')),
  })
}

/** Prices per token are decimal numbers as text. Other providers write numbers per million tokens, others than known. */
function pricesOf(pricing: unknown): ModelFacts['pricing'] {
  const found = prices.flatMap((price) => {
    const value = fieldOf(pricing, price)
    return typeof value === 'string' && /^\d{1,9}(\.\d{1,20})?$/.test(value)
      ? [[price, value] as const]
      : []
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' && value.length <= maxLength
    ? value.trim()
    : undefined
}

function words(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.slice(0, maxEntries).flatMap((one) => word(one) ?? [])
}

function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined
}

/** A time as OpenAI or Anthropic writes it, in seconds. Milliseconds are taken for no time. */
function timeOf(value: unknown): number | undefined {
  const seconds = count(typeof value === 'string' ? Math.floor(Date.parse(value) / 1_000) : value)
  return seconds !== undefined && seconds < 100_000_000_000 ? seconds : undefined
}

/** Without the fields that are undefined. */
export function present(
  facts: {
    readonly [Field in keyof ModelFacts]: ModelFacts[Field] | undefined
  },
): ModelFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}
