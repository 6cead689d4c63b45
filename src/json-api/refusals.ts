import { z } from 'zod'

/** The body of an error, as `plainErrorFormat` words it. */
export const errorReply = z
  .object({ message: z.string(), field: z.string().optional() })
  .meta({ description: 'The reason.' })

/** The answers that every route may give. */
export const refusals = { '4xx': errorReply, '5xx': errorReply } as const
