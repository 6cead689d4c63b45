import { z } from 'zod'
import { serviceKinds } from '../list/routing-inputs.ts'
import { isUpstreamUrl } from '../upstream/upstream-request.ts'

/** A provider in a catalogue file. Other fields, such as `evidence`, are allowed and ignored. */

/** Ids and aliases become the part before the slash of `<alias>/<model_id>`. */
const nameInIds = z.string().regex(/^[^\s/]+$/, 'expected text without white space or slashes')

const modelId = z.string().regex(/\S/, 'expected a model id')

/** Absent means llm (docs/contract/model-list.md, "Inputs"). */
const modelType = z.enum(['llm', 'image', 'tts', 'embedding', 'stt', 'imageToText'])

const configWithModels = z.looseObject({ models: z.array(z.looseObject({ id: modelId })) })

const modelsApi = z.strictObject({
  flavour: z.enum(['openai', 'anthropic']),
  baseUrl: z.string().refine(isUpstreamUrl, 'expected an http or https URL without credentials'),
})

export const providerSchema = z.looseObject({
  id: nameInIds,
  alias: nameInIds.optional(),
  name: z.string().optional(),
  serviceKinds: z.array(z.enum(serviceKinds)).min(1).default(['llm']),
  models: z.array(z.looseObject({ id: modelId, type: modelType.default('llm') })).default([]),
  ttsConfig: configWithModels.optional(),
  embeddingConfig: configWithModels.optional(),
  searchConfig: z.looseObject({}).optional(),
  fetchConfig: z.looseObject({}).optional(),
  modelsApi: modelsApi.optional(),
})

export type ProviderRecord = z.infer<typeof providerSchema>
