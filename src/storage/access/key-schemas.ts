import { z } from 'zod'
import { actions } from './authorize.ts'

/**
 * Fields of an access key, as ACCESS_KEYS and the management API take them. `checkKeyInput` has the limits of their
 * values.
 */

export const grantSchema = z.strictObject({
  bucket: z.string().meta({ description: 'The name of a bucket, or `*` for all buckets.' }),
  prefix: z.string().default('').meta({ description: 'Only keys that begin with this.' }),
  actions: z.array(z.enum(actions)).meta({
    description: '`create` and `write` exclude each other: `write` includes `create`.',
  }),
})

const limit = z.int().min(1).nullable()
export const limitsSchema = z.strictObject({
  requestsPerSecond: limit.default(null).meta({
    description: 'Applies to each process: a gateway with N workers allows N times the limit.',
  }),
  bytes: limit.default(null).meta({
    description:
      'Bytes in the buckets of its grants together, with uploads in progress, as of the last ' +
      'counts. Of a bucket that was not counted yet, only what is written counts.',
  }),
})

export const nameSchema = z.string().meta({ description: 'For people; shown in the log.' })
