import type { StatusReply } from '../../../src/console/management/replies.ts'
import { ownPath } from './client.ts'

type Endpoint = Pick<StatusReply['endpoint'], 'url' | 'isPublicUrl'>

/**
 * The address to give to clients: PUBLIC_URL, else the one that this page was opened at. Behind a
 * proxy the service may not know the latter.
 */
export function serviceAddress({ url, isPublicUrl }: Endpoint, pageOrigin: string): string {
  return isPublicUrl ? url.replace(/\/+$/, '') : pageOrigin
}

/** A presigned URL for others. What is signed stays: the proxy changes the host as it did for us. */
export function sharedUrl(url: string, { isPublicUrl }: Endpoint, pageOrigin: string): string {
  return isPublicUrl ? url : pageOrigin + ownPath(url)
}
