import { z } from 'zod'
import type { JsonApp } from '../../json-api/json-app.ts'
import { refusals } from '../../json-api/refusals.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { failuresReply } from './replies.ts'

export function failureRoutes(app: JsonApp, { failures }: ManagementApiParts): void {
  app.get(
    '/failures',
    {
      schema: {
        operationId: 'getFailures',
        summary: 'Lists the latest failed requests with reasons',
        description:
          'At most 200, newest first, of S3, logins and the model list. Requests of the dashboard ' +
          'and of this API are left out. So are failures of normal operation: missing objects ' +
          '(404), failed conditions (412), ranges beyond the end (416), expired sessions, and ' +
          'unsigned requests for buckets that do not exist.',
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
        description: 'Clears the failures of all workers so far.',
        response: { 204: z.undefined().meta({ description: 'Cleared.' }), ...refusals },
      },
    },
    async (_, reply) => {
      await failures.clear()
      return reply.code(204).send()
    },
  )
}
