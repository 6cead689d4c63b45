import type { StatusReply } from '../../../src/dashboard/management/management-schemas.ts'
import { ownPath } from './client.ts'

type Endpoint = Pick<StatusReply['endpoint'], 'url' | 'isPublicUrl'>

/**
 * The address to give to clients: PUBLIC_URL, otherwise the origin of this page, which the service
 * may not know behind a proxy.
 */
export function serviceAddress({ url, isPublicUrl }: Endpoint, pageOrigin: string): string {
  return isPublicUrl ? url.replace(/\/+$/, '') : pageOrigin
}

/**
 * A presigned URL to give to others. The signature stays valid: the proxy rewrites the host as it does for
 * this page.
 */
export function sharedUrl(url: string, { isPublicUrl }: Endpoint, pageOrigin: string): string {
  return isPublicUrl ? url : pageOrigin + ownPath(url)
}
