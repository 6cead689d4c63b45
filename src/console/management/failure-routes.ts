import { z } from 'zod'
import type { JsonApp } from '../../json-api/json-app.ts'
import { refusals } from '../../json-api/refusals.ts'
import type { ManagementApiParts } from './management-api.ts'
import { failuresReply } from './replies.ts'

export function failureRoutes(app: JsonApp, { failures }: ManagementApiParts): void {
  app.get(
    '/failures',
    {
      schema: {
        operationId: 'getFailures',
        summary: 'The latest requests that failed, and why',
        description:
          'At most 200, newest first, of S3, logins and the model list. The own requests of the ' +
          'dashboard and of this API are left out, and what is part of normal life: ' +
          'objects that are not there (404), conditions that do not hold (412), ranges ' +
          'behind the end (416), sessions that are over, unsigned requests for buckets that do ' +
          'not exist.',
        response: { 200: failuresReply, ...refusals },
      },
    },
    async () => ({ failures: await failures.latest() }),
  )

  app.delete(
    '/failures',
    {
      schema: {
        operationId: 'clearFailures',
        summary: 'Clears the list of failed requests',
        description: 'Those of all workers until now.',
        response: { 204: z.undefined().meta({ description: 'It is empty.' }), ...refusals },
      },
    },
    async (_, reply) => {
      await failures.clear()
      return reply.code(204).send()
    },
  )
}
