import { z } from 'zod'

/** The body of an error in `plainErrorFormat`. */
export const errorReply = z
  .object({ message: z.string(), field: z.string().optional() })
  .meta({ description: 'The reason.' })

/** The error responses of every route. */
export const refusals = { '4xx': errorReply, '5xx': errorReply } as const
