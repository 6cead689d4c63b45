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
          'At most 200, newest first, of S3 and of the JSON APIs. What is part of normal life is ' +
          'left out: objects that are not there (404), conditions that do not hold (412), ranges ' +
          'behind the end (416), sessions that are over, unsigned requests for buckets that do ' +
          'not exist.',
        response: { 200: failuresReply, ...refusals },
      },
    },
    async () => ({ failures: await failures() }),
  )
}
