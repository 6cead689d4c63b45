import type { JsonApp } from '../../json-api/json-app.ts'
import { refusals } from '../../json-api/refusals.ts'
import type { ManagementApiParts } from './management-parts.ts'
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
          'Secret settings are named, but their values are never shown, nor are passwords in URLs.',
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
