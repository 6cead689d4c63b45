import { z } from 'zod'
import { isTrashId } from '../../../storage/jobs/trash/trash.ts'

const count = z.int().min(0)
const time = z.iso.datetime()

/** The paths of one job. A selection in a folder may have as many. */
const maxPaths = 100_000

/** So many taken names can have an answer of their own. */
const maxAnswers = 1_000

const paths = z.array(z.string().max(1_024)).min(1).max(maxPaths).meta({
  description: 'Keys. One that ends in a slash is a folder with everything in it.',
})
const trashId = z.string().refine(isTrashId, 'expected an id from GET /trash')
const inTrash = paths.default(['']).meta({ description: 'Default: everything.' })

const placing = z.strictObject({
  action: z.enum(['move', 'copy']),
  bucket: z.string(),
  paths,
  to: z.strictObject({
    bucket: z.string(),
    prefix: z
      .string()
      .max(1_024)
      .regex(/^$|\/$/, 'expected an empty text or one that ends in a slash')
      .meta({ description: 'The folder: empty, or ends in a slash.' }),
    name: z
      .string()
      .min(1)
      .regex(/^[^/]*$/, 'expected no slash')
      .optional()
      .meta({
        description: 'A new name, for a single path.',
      }),
  }),
})

const ordered = placing.extend({
  answers: z
    .array(
      z.strictObject({
        key: z.string(),
        answer: z.enum(['skip', 'replace', 'keep-both']),
        etag: z.string().meta({ description: 'Of the object that is replaced.' }),
      }),
    )
    .max(maxAnswers)
    .optional()
    .meta({ description: 'What to do about the names that `POST /file-jobs/clashes` returned.' }),
  taken: z.enum(['skip', 'replace', 'keep-both']).optional().meta({
    description: 'What to do about all other names that are taken. Default: skip.',
  }),
})

export const clashesBody = placing

export const fileJobBody = z.discriminatedUnion('action', [
  ordered,
  z.strictObject({ action: z.enum(['trash', 'delete']), bucket: z.string(), paths }),
  z.strictObject({
    ...{ action: z.literal('restore'), bucket: z.string(), trashId, paths: inTrash },
    taken: z.enum(['skip', 'keep-both']).optional(),
  }),
  z.strictObject({
    action: z.literal('empty'),
    bucket: z.string(),
    trashId: trashId.optional().meta({ description: 'Default: the whole trash.' }),
    paths: inTrash,
  }),
  z.strictObject({
    ...{ action: z.enum(['undelete', 'erase']), bucket: z.string(), paths },
    since: time.optional().meta({
      description: 'Only what was deleted from folders at this time or later.',
    }),
  }),
  z.strictObject({ action: z.enum(['again', 'undo']), id: z.string() }),
])
export type FileJobBody = z.input<typeof fileJobBody>

const figures = z.object({ bytes: count, modifiedAt: time })

export const clashesReply = z.object({
  clashes: z.array(
    z.object({
      key: z.string().meta({ description: 'The new key.' }),
      etag: z.string().meta({ description: 'Of the object that has the key.' }),
      file: figures,
      there: figures,
    }),
  ),
  isMore: z.boolean().meta({ description: 'Whether there may be more than these 1,000.' }),
})
export type ClashesReply = z.infer<typeof clashesReply>

export const fileJobReply = z.object({
  id: z.string(),
  action: z.enum(['move', 'copy', 'trash', 'delete', 'restore', 'empty', 'undelete', 'erase']),
  bucket: z.string(),
  paths: z.array(z.string()).meta({ description: 'The first 20.' }),
  count: count.meta({ description: 'How many paths there are.' }),
  to: z
    .object({ bucket: z.string(), paths: z.array(z.string()) })
    .nullable()
    .meta({ description: 'The new paths of `paths`.' }),
  trashId: z.string().nullable(),
  undoes: z.string().nullable().meta({ description: 'The job that this one undoes.' }),
  state: z.enum(['running', 'done', 'cancelled', 'failed']),
  done: count.meta({ description: 'Objects moved, copied, deleted or restored so far.' }),
  total: count.nullable(),
  skipped: count,
  problems: z
    .array(z.object({ key: z.string(), reason: z.string() }))
    .meta({ description: 'Up to 100 of the objects that were skipped.' }),
  canUndo: z.boolean(),
  startedAt: time,
  endedAt: time.nullable(),
  message: z.string().nullable().meta({ description: 'Why it failed, or what remains.' }),
})
export type FileJobReply = z.infer<typeof fileJobReply>

export const fileJobsReply = z.object({ jobs: z.array(fileJobReply) })
export type FileJobsReply = z.infer<typeof fileJobsReply>
