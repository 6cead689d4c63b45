import { z } from 'zod'

/** The responses of the model list, in OpenAI's format. */

export const entrySchema = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int().describe('Unix time in seconds when the list was built'),
  owned_by: z.string(),
  kind: z.enum(['webSearch', 'webFetch']).optional(),
})

export const listSchema = z.object({
  object: z.literal('list'),
  data: z.array(entrySchema).readonly(),
})

/** The body of an error, as `modelsErrorFormat` words it. */
const listError = z
  .object({
    error: z.object({ message: z.string(), type: z.string(), code: z.string().optional() }),
  })
  .meta({ description: 'The reason.' })

/** The error responses of every route. */
export const listRefusals = { '4xx': listError, '5xx': listError } as const
