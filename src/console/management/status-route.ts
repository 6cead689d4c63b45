import type { JsonApp } from '../../json-api/json-app.ts'
import { refusals } from '../../json-api/refusals.ts'
import type { ManagementApiParts } from './management-api.ts'
import { statusReply } from './replies.ts'
import { originOfRequest } from './route-checks.ts'

export function statusRoute(app: JsonApp, parts: ManagementApiParts): void {
  app.get(
    '/status',
    {
      schema: {
        operationId: 'getStatus',
        summary: 'Version, drive, endpoint and settings',
        description:
          'Settings that are secrets are named and never shown, nor is a password in a URL.',
        response: { 200: statusReply, ...refusals },
      },
    },
    async (request) => {
      const { region, accessKey, hasPublicUrl: isPublicUrl } = parts
      const endpoint = { url: originOfRequest(parts, request), isPublicUrl, region, accessKey }
      return { ...(await parts.status()), endpoint }
    },
  )
}
