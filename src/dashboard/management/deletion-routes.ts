import { z } from 'zod'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { type Route, route } from '../../platform/json-api/route.ts'
import { isLegalKey } from '../../storage/drives/kit/names/key-path.ts'
import { type Deletion, deletionLimits } from '../../storage/jobs/deletions.ts'
import type { ManagementApiParts } from './management-parts.ts'
import {
  type DeletionReply,
  deletionBody,
  deletionReply,
  deletionsReply,
} from './management-schemas.ts'
import { assertBucket, timeOf } from './route-checks.ts'

const idParams = z.object({ id: z.string() })

export function deletionRoutes({ buckets, deletions }: ManagementApiParts): readonly Route[] {
  const startDeletion = route({
    method: 'POST',
    path: '/deletions',
    operationId: 'startDeletion',
    summary: 'Deletes everything below a prefix',
    description:
      'Deletes every object whose key begins with the prefix, such as `photos/2024/` or `photos/2024`, ' +
      'in the background. A repeated request returns the running deletion.',
    body: deletionBody,
    status: 202,
    reply: deletionReply,
    async answer({ body }) {
      const { bucket, prefix } = body
      assertBucket(buckets, bucket)
      if (!isLegalKey(prefix)) {
        throw new ApiError(400, 'Expected 1 to 1,024 bytes of UTF-8.', {
          field: 'prefix',
        })
      }
      const started = await deletions.start(body)
      if (started === undefined) throw tooMany()
      return replyOf(started)
    },
  })

  const getDeletions = route({
    method: 'GET',
    path: '/deletions',
    operationId: 'getDeletions',
    summary: 'Lists running deletions and those of the last day',
    reply: deletionsReply,
    answer: async () => ({ deletions: (await deletions.latest()).map(replyOf) }),
  })

  const getDeletion = route({
    method: 'GET',
    path: '/deletions/{id}',
    operationId: 'getDeletion',
    summary: 'Returns the progress of a deletion',
    params: idParams,
    reply: deletionReply,
    answer: async ({ params: { id } }) => replyOf(found(await deletions.find(id))),
  })

  const cancelDeletion = route({
    method: 'DELETE',
    path: '/deletions/{id}',
    operationId: 'cancelDeletion',
    summary: 'Stops a deletion',
    description:
      'Deleted objects stay deleted. The response may still say `running`: another worker then ' +
      'stops the deletion within a second or two. A finished deletion does not change.',
    params: idParams,
    reply: deletionReply,
    answer: async ({ params: { id } }) => replyOf(found(await deletions.cancel(id))),
  })
  return [startDeletion, getDeletions, getDeletion, cancelDeletion]
}

/** The error when too many deletions are running. */
export function tooMany(): ApiError {
  return new ApiError(
    409,
    `At most ${deletionLimits.running} deletions can run at once. Wait for one to finish, or cancel one.`,
  )
}

function found(deletion: Deletion | undefined): Deletion {
  if (deletion !== undefined) return deletion
  throw new ApiError(
    404,
    'The deletion does not exist. Finished deletions are forgotten after a day.',
  )
}

export function replyOf({ startedAtMs, endedAtMs, message, ...deletion }: Deletion): DeletionReply {
  return {
    ...deletion,
    startedAt: timeOf(startedAtMs),
    endedAt: endedAtMs === 0 ? null : timeOf(endedAtMs),
    message: message === '' ? null : message,
  }
}
