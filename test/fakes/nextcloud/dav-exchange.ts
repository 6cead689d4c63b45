import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { DavPath } from './dav-path.ts'
import type { NextcloudFault } from './nextcloud-faults.ts'

/** One request below `files/{uid}` or `uploads/{uid}`. */
export interface DavCall {
  readonly request: IncomingMessage
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** Below the user's folder. */
  readonly path: DavPath
  /** The fault that a test requested for it. */
  readonly fault: NextcloudFault | undefined
}

export interface DavReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Readable
  /** Called when the body was sent, or could not be sent; perhaps more than once. */
  readonly release?: () => void
}

export const xmlType = { 'content-type': 'application/xml; charset=utf-8' }

/** The first value of a header, which Node may return as a list. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}
