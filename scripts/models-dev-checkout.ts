import { glob, readFile, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { inferKind } from '../src/models/list/listed-provider.ts'
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
}

const modelFileSchema = z.looseObject({
  base_model: z.string().optional(),
  modalities: z.looseObject({ input: z.array(z.string()), output: z.array(z.string()) }).optional(),
  status: z.string().optional(),
  release_date: z.coerce.string().optional(),
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

/** Fields of the provider's own file win over those of the base model. */
async function readModelFile(checkout: string, path: string): Promise<ModelFile> {
  const own = await readToml(path)
  if (own.base_model === undefined) return own
  const base = await readToml(join(checkout, 'models', `${own.base_model}.toml`))
  return { ...base, ...own }
}

async function readToml(path: string): Promise<ModelFile> {
  try {
    return modelFileSchema.parse(parse(await readFile(path, 'utf8')))
  } catch (cause) {
    throw new Error(`${path} is not a model of models.dev`, { cause })
  }
}

function foundModel(id: string, { modalities, status, release_date }: ModelFile): FoundModel {
  return {
    id,
    kind: modalities === undefined ? undefined : kindOf(id, modalities),
    isDeprecated: status === 'deprecated',
    releaseDate: release_date ?? '',
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
