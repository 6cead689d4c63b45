import type { ObjectContext } from '../context.ts'
import { bucketOfHost } from './virtual-host.ts'

/**
 * The address of an object that a reply names: PUBLIC_URL or the request's scheme and host, and the path
 * (docs/contract/object-storage.md, "Complete").
 */
export function locationOf({ request, service, bucket }: ObjectContext): string {
  const { rawPath, headers, isSecure } = request
  const { publicUrl } = service.settings
  if (publicUrl === undefined)
    return `${isSecure ? 'https' : 'http'}://${headers.host ?? ''}${rawPath}`
  const isInHost = bucketOfHost(headers.host, service.settings) !== undefined
  return isInHost ? `${publicUrl}/${bucket}${rawPath}` : publicUrl + rawPath
}
