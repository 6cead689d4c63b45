import { z } from 'zod'
import { isLegalKey } from '../../drives/key-path.ts'
import { ApiError } from '../../json-api/api-error.ts'
import type { JsonApp } from '../../json-api/json-app.ts'
import { refusals } from '../../json-api/refusals.ts'
import type { DeletionRow } from '../../state/stores/deletions.ts'
import { decodeDeletionTarget } from './deletions.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { type DeletionReply, deletionBody, deletionReply, deletionsReply } from './replies.ts'
import { assertBucket, timeOf } from './route-checks.ts'

const idParams = z.object({ id: z.string() })

export function deletionRoutes(app: JsonApp, { buckets, deletions }: ManagementApiParts): void {
  app.post(
    '/deletions',
    {
      schema: {
        operationId: 'startDeletion',
        summary: 'Deletes everything below a prefix',
        description:
          'Deletes every object whose key begins with the prefix, `photos/2024/` or `photos/2024`, ' +
          'in the background. A repeated request returns the running deletion.',
        body: deletionBody,
        response: { 202: deletionReply, ...refusals },
      },
    },
    async ({ body }, reply) => {
      const { bucket, prefix } = body
      assertBucket(buckets, bucket)
      if (!isLegalKey(prefix)) {
        throw new ApiError(400, 'Expected 1 to 1,024 bytes of UTF-8.', {
          field: 'prefix',
        })
      }
      return reply.code(202).send(replyOf(await deletions.start(body)))
    },
  )

  app.get(
    '/deletions',
    {
      schema: {
        operationId: 'getDeletions',
        summary: 'Lists running deletions and those of the last day',
        response: { 200: deletionsReply, ...refusals },
      },
    },
    async () => ({ deletions: (await deletions.latest()).map(replyOf) }),
  )

  app.get(
    '/deletions/:id',
    {
      schema: {
        operationId: 'getDeletion',
        summary: 'Returns the progress of a deletion',
        params: idParams,
        response: { 200: deletionReply, ...refusals },
      },
    },
    async ({ params: { id } }) => replyOf(found(await deletions.find(id))),
  )

  app.delete(
    '/deletions/:id',
    {
      schema: {
        operationId: 'cancelDeletion',
        summary: 'Stops a deletion',
        description:
          'Deleted objects stay deleted. The response may still say `running`: another worker then ' +
          'stops the deletion within a second or two. A finished deletion does not change.',
        params: idParams,
        response: { 200: deletionReply, ...refusals },
      },
    },
    async ({ params: { id } }) => replyOf(found(await deletions.cancel(id))),
  )
}

function found(row: DeletionRow | undefined): DeletionRow {
  if (row !== undefined) return row
  throw new ApiError(
    404,
    'The deletion does not exist. Finished deletions are forgotten after a day.',
  )
}

function replyOf(row: DeletionRow): DeletionReply {
  const { id, state, deleted, startedAtMs, endedAtMs, message } = row
  return {
    ...{ id, ...decodeDeletionTarget(row.target), state, deleted },
    startedAt: timeOf(startedAtMs),
    endedAt: endedAtMs === 0 ? null : timeOf(endedAtMs),
    message: message === '' ? null : message,
  }
}
