import { z } from 'zod'
import { failureStatus } from './management-schemas.ts'

const activityStatus = failureStatus.extend({
  isFailure: z.boolean().meta({ description: 'false: the request changed something.' }),
  by: z.enum(['owner', 'key', 'anyone', 'dashboard']).nullable().meta({
    description:
      'Who sent the request: with ACCESS_KEY, with another key, unsigned, or the dashboard.',
  }),
  accessKey: z
    .string()
    .nullable()
    .meta({ description: 'The name of the access key, if by is key.' }),
  action: z.string().nullable().meta({
    description:
      'For work on files: the action of the job. `view`: somebody has opened the page of a share.',
  }),
  more: z.int().meta({
    description:
      'Other changes of the same second that are not listed, because there were too many.',
  }),
})
export type ActivityStatus = z.infer<typeof activityStatus>

export const activityReply = z.object({
  requests: z.array(activityStatus),
  next: z.string().nullable().meta({ description: 'Pass as `after` to get older requests.' }),
})
export type ActivityReply = z.infer<typeof activityReply>

const text = z.string().max(1_024).optional()
export const activityQuery = z.strictObject({
  what: z.enum(['all', 'changes', 'failures']).default('all'),
  bucket: text,
  key: text.meta({ description: 'A part of the object key.' }),
  accessKey: text.meta({
    description: 'The name of an access key, `owner`, `anyone` or `dashboard`.',
  }),
  operation: text,
  status: z
    .string()
    .regex(/^[1-5](?:\d\d|xx)$/, 'expected a status such as 403, or 4xx')
    .optional(),
  search: z
    .string()
    .max(4_096)
    .optional()
    .meta({
      description:
        'Words that must all appear in the request, in any order. Of `one|other`, either must appear. A no-break space in ' +
        'a word stands for a space. `4xx` appears in ' +
        'a request with a status of 400 to 499.',
    }),
  from: z.iso.datetime().optional().meta({ description: 'Only requests from this time on.' }),
  after: z
    .string()
    .regex(/^\d{1,16}\.[\w-]{1,64}$/, 'expected `next` of the previous page')
    .optional(),
})
export type ActivityQuery = z.infer<typeof activityQuery>
