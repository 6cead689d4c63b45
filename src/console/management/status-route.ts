import { type Route, route } from '../../json-api/route.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { statusReply } from './replies.ts'
import { originOfRequest } from './route-checks.ts'

export function statusRoute(parts: ManagementApiParts): Route {
  return route({
    method: 'GET',
    path: '/status',
    operationId: 'getStatus',
    summary: 'Version, drive, endpoint and settings',
    description:
      'Secret settings are named, but their values are never shown, nor are passwords in URLs.',
    reply: statusReply,
    async answer({ request }) {
      const { region, accessKey, hasPublicUrl: isPublicUrl } = parts
      const endpoint = { url: originOfRequest(parts, request), isPublicUrl, region, accessKey }
      return { ...(await parts.status()), endpoint }
    },
  })
}
