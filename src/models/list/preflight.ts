import { type Route, route } from '../../platform/json-api/route.ts'

/**
 * The route that answers the preflights of a path, for pages of any origin. A preflight carries no credentials (Fetch
 * standard, "CORS-preflight fetch").
 *
 * @param headers besides the origin, which every reply has
 */
export function preflight(path: string, headers: Readonly<Record<string, string>>): Route {
  return route({
    method: 'OPTIONS',
    path,
    operationId: 'preflight',
    summary: 'Tells browsers that pages of any origin may ask',
    isHidden: true,
    async answer({ replyHeaders }) {
      for (const [name, value] of Object.entries(headers)) replyHeaders.set(name, value)
    },
  })
}
