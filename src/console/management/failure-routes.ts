import { type Route, route } from '../../json-api/route.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { failuresReply } from './replies.ts'

export function failureRoutes({ failures }: ManagementApiParts): readonly Route[] {
  const list = route({
    method: 'GET',
    path: '/failures',
    operationId: 'getFailures',
    summary: 'Lists the latest failed requests with reasons',
    description:
      'At most 200, newest first, of S3, logins and the model list. Requests of the dashboard ' +
      'and of this API are left out. So are failures of normal operation: missing objects ' +
      '(404), failed conditions (412), ranges beyond the end (416), expired sessions, and ' +
      'unsigned requests for buckets that do not exist.',
    reply: failuresReply,
    answer: async () => ({ failures: await failures.latest() }),
  })
  const clear = route({
    method: 'DELETE',
    path: '/failures',
    operationId: 'clearFailures',
    summary: 'Clears the list of failed requests',
    description: 'Clears the failures of all workers so far.',
    status: 204,
    replyDescription: 'Cleared.',
    answer: () => failures.clear(),
  })
  return [list, clear]
}
