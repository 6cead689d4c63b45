import type { ObjectContext } from '../context.ts'

/**
 * The address of an object that a reply names: PUBLIC_URL or the request's scheme and host, and the path
 * (docs/contract/object-storage.md, "Complete").
 */
export function locationOf({ request, service }: ObjectContext): string {
  const scheme = request.isSecure ? 'https' : 'http'
  const origin = service.settings.publicUrl ?? `${scheme}://${request.headers.host ?? ''}`
  return origin + request.rawPath
}
