import { z } from 'zod'
import { DriveError } from '../../drives/drive.ts'
import { type Route, route } from '../../json-api/route.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { folderRevisionReply } from './replies.ts'
import { assertBucket, driveIsAway } from './route-checks.ts'

export function folderRoute({ buckets, folders }: ManagementApiParts): Route {
  return route({
    method: 'GET',
    path: '/folder-revision',
    operationId: 'getFolderRevision',
    summary: 'Returns a revision that changes with the folder',
    description:
      'A short text that stays the same while names, sizes, times and ETags in the folder do. ' +
      'It may be a few seconds old, or minutes for a folder that takes long to list; `ageMs` ' +
      'is its age.',
    query: z.strictObject({
      bucket: z.string(),
      prefix: z.string().max(1_024).default('').meta({ description: 'Ends in a slash.' }),
      filter: z.string().max(1_024).default('').meta({
        description: 'Only names that begin with this.',
      }),
    }),
    reply: folderRevisionReply,
    async answer({ query }) {
      const askedAtMs = performance.now()
      assertBucket(buckets, query.bucket)
      try {
        const { revision, beganAtMs } = await folders.read(query)
        return { revision, ageMs: Math.max(0, Math.ceil(askedAtMs - beganAtMs)) }
      } catch (error) {
        throw error instanceof DriveError ? driveIsAway(error) : error
      }
    },
  })
}
