import { z } from 'zod'

/** The responses of the model list, in OpenAI's format. */

/** An entry has no other fields (docs/contract/model-list.md, "Entries"). */
export const entrySchema = z
  .object({
    id: z.string().describe('The name of a combo, or `<alias>/<model id>`'),
    object: z.literal('model'),
    created: z.int().describe('Unix time in seconds when the list was built'),
    owned_by: z.string().describe('`combo`, or the alias of the provider'),
    kind: z.enum(['webSearch', 'webFetch']).exactOptional(),
  })
  .readonly()

export type ModelEntry = z.output<typeof entrySchema>

export const listSchema = z.object({
  object: z.literal('list'),
  data: z.array(entrySchema).readonly(),
})

const unlistedReason = z.object({
  message: z.string(),
  models: z.array(z.string()).readonly().describe('The first models that it applies to'),
  count: z.int().describe('How many models; 0: the reason applies to the whole connection'),
})

/** How many models of a connection are listed, over all lists. */
export const connectionListing = z.object({
  id: z.string(),
  listed: z.int().describe('Listed models of the connection'),
  reasons: z.array(unlistedReason).readonly().describe('Why other models are not listed'),
})

export type UnlistedReason = z.output<typeof unlistedReason>
export type ConnectionListing = z.output<typeof connectionListing>

/** The body of an error in `modelsErrorFormats`, which is loaded without schemas. */
export const listError = z
  .object({
    error: z.object({ message: z.string(), type: z.string(), code: z.string().optional() }),
  })
  .meta({ description: 'The reason.' })
