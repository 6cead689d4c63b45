import { glob, readFile, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { inferKind } from '../src/models/list/listed-provider.ts'
import type { CatalogueFacts } from '../src/models/list/model-facts.ts'
import type { ServiceKind } from '../src/models/list/routing-inputs.ts'

/**
 * A checkout of models.dev (https://github.com/anomalyco/models.dev, README.md): a file
 * `providers/<provider>/models/<model id>.toml` for each model. Fields missing there may come from
 * `models/<base_model>.toml`. An id may contain slashes.
 */

/** A model that models.dev knows. */
export interface FoundModel {
  readonly id: string
  /** Undefined if it has no kind in this catalogue, such as video models. */
  readonly kind: ServiceKind | undefined
  readonly isDeprecated: boolean
  /** YYYY-MM or YYYY-MM-DD; empty when unknown. */
  readonly releaseDate: string
  readonly facts: CatalogueFacts
}

const modelFileSchema = z.looseObject({
  name: z.string().optional(),
  modalities: z.looseObject({ input: z.array(z.string()), output: z.array(z.string()) }).optional(),
  status: z.string().optional(),
  release_date: z.coerce.string().optional(),
  limit: z.looseObject({ context: z.int().optional(), output: z.int().optional() }).optional(),
  /** USD per million tokens. */
  cost: z
    .looseObject({
      input: z.number(),
      output: z.number(),
      cache_read: z.number().optional(),
      cache_write: z.number().optional(),
    })
    .optional(),
  tool_call: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  structured_output: z.boolean().optional(),
  temperature: z.boolean().optional(),
})

type ModelFile = z.infer<typeof modelFileSchema>

/**
 * The models of a provider; undefined when the checkout does not have it.
 *
 * @throws Error that names the file if it does not have the format of models.dev.
 */
export async function findModels(
  checkout: string,
  provider: string,
): Promise<readonly FoundModel[] | undefined> {
  const folder = join(checkout, 'providers', provider, 'models')
  const isThere = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isThere) return undefined
  const files: string[] = []
  for await (const file of glob('**/*.toml', { cwd: folder })) files.push(file)
  return Promise.all(
    files.sort().map(async (file) => {
      const id = file.slice(0, -'.toml'.length).replaceAll(sep, '/')
      return foundModel(id, await readModelFile(checkout, join(folder, file)))
    }),
  )
}

/** Fields of the provider's own file win over those of the base model, also inside of limits, prices and modalities. */
async function readModelFile(checkout: string, path: string): Promise<ModelFile> {
  try {
    const own = await readToml(path)
    const { base_model } = own
    if (typeof base_model !== 'string') return modelFileSchema.parse(own)
    const base = await readToml(join(checkout, 'models', `${base_model}.toml`))
    const merged = Object.entries(own).map(([field, value]) => {
      const below = base[field]
      return [field, isTable(value) && isTable(below) ? { ...below, ...value } : value] as const
    })
    return modelFileSchema.parse({ ...base, ...Object.fromEntries(merged) })
  } catch (cause) {
    throw new Error(`${path} is not a model of models.dev`, { cause })
  }
}

async function readToml(path: string): Promise<Readonly<Record<string, unknown>>> {
  return parse(await readFile(path, 'utf8'))
}

function isTable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function foundModel(id: string, file: ModelFile): FoundModel {
  const { modalities, status, release_date } = file
  return {
    id,
    kind: modalities === undefined ? undefined : kindOf(id, modalities),
    isDeprecated: status === 'deprecated',
    releaseDate: release_date ?? '',
    facts: factsOf(id, file),
  }
}

/** OpenRouter's names of the abilities that models.dev has. */
const parameterOf = {
  tool_call: 'tools',
  reasoning: 'reasoning',
  structured_output: 'structured_outputs',
  temperature: 'temperature',
} as const satisfies Partial<Record<keyof ModelFile, string>>

function factsOf(id: string, file: ModelFile): CatalogueFacts {
  const { name, limit, modalities, cost } = file
  const abilities = Object.entries(parameterOf) as [keyof typeof parameterOf, string][]
  const isKnown = abilities.some(([ability]) => file[ability] !== undefined)
  const parameters = abilities.flatMap(([ability, parameter]) => (file[ability] ? [parameter] : []))
  const side = (types: readonly string[]) => {
    return types.map((type) => (type === 'pdf' ? 'file' : type)).join('+')
  }
  const prices = cost && [
    cost.input,
    cost.output,
    cost.cache_read ?? null,
    cost.cache_write ?? null,
  ]
  while (prices?.at(-1) === null) prices.pop()
  return {
    ...(name !== undefined && name !== id && { name }),
    // A limit of 0 stands for an unknown one.
    ...(limit?.context && { context: limit.context }),
    ...(limit?.output && { output: limit.output }),
    ...(modalities && { modality: `${side(modalities.input)}->${side(modalities.output)}` }),
    ...(isKnown && { parameters }),
    ...(prices && { cost: prices }),
  }
}

/** Models for text that are not chat models. */
const noChat = /moderation|rerank/

/** models.dev has no kinds, only input and output types; for embeddings both are text. */
function kindOf(
  id: string,
  { input, output }: NonNullable<ModelFile['modalities']>,
): ServiceKind | undefined {
  const hint = inferKind(id)
  if (noChat.test(id)) return undefined
  if (!output.includes('text')) {
    if (output.includes('image')) return 'image'
    return output.includes('audio') ? 'tts' : undefined
  }
  if (!input.includes('text')) return input.includes('audio') ? 'stt' : 'imageToText'
  if (hint === 'embedding') return 'embedding'
  return hint === 'image' && output.includes('image') ? 'image' : 'llm'
}
