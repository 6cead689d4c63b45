import { z } from 'zod'

const count = z.int().min(0)
const mostKeys = 1_000

export const trashBody = z.strictObject({
  bucket: z.string(),
  prefix: z.string().optional().meta({ description: 'Instead of `keys`.' }),
  keys: z.array(z.string()).min(1).max(mostKeys).optional(),
  trashId: z.string().optional().meta({
    description: 'Of an earlier reply, so that both are restored together. Default: a new one.',
  }),
})
export type TrashBody = z.input<typeof trashBody>

export const restoreBody = z.strictObject({
  bucket: z.string(),
  trashId: z.string(),
  prefix: z.string().max(1_024).default('').meta({
    description: 'Only keys that begin with this.',
  }),
  besideOthers: z.boolean().default(false).meta({
    description: 'Whether objects whose names are taken get others, as `a (2).txt`.',
  }),
})
export type RestoreBody = z.input<typeof restoreBody>

export const emptyBody = z.strictObject({
  bucket: z.string(),
  trashId: z.string().optional().meta({ description: 'Default: everything in the trash.' }),
})
export type EmptyBody = z.input<typeof emptyBody>

export const trashReply = z.object({
  days: count.meta({ description: 'TRASH_DAYS; 0: the dashboard deletes permanently.' }),
  isThere: z.boolean().meta({
    description: 'false: the drive has a trash of its own, or none, or the bucket is read-only.',
  }),
  objects: count.nullable().meta({ description: 'null: not counted yet.' }),
  bytes: count.nullable(),
  items: z.array(
    z.object({
      id: z.string(),
      deletedAt: z.iso.datetime(),
      objects: count,
      bytes: count,
      isMore: z.boolean().meta({ description: 'Whether there is more than was counted.' }),
      keys: z.array(z.string()).meta({ description: 'Some of the keys.' }),
    }),
  ),
  next: z.string().nullable().meta({ description: 'Pass as `after` to get the next page.' }),
})
export type TrashReply = z.infer<typeof trashReply>
