import type { HeaderFields, HttpReply } from '../../../platform/http/message.ts'
import { type XmlChildren, xmlDocument } from './xml.ts'

/** 200 with a result document. */
export function xmlReply(
  root: string,
  content: XmlChildren | string,
  headers: HeaderFields = [],
  options: Parameters<typeof xmlDocument>[2] = {},
): HttpReply {
  return {
    status: 200,
    headers: [['Content-Type', 'application/xml'], ...headers],
    body: xmlDocument(root, content, options),
  }
}

/**
 * A time in an XML document, ISO 8601. Whole seconds, as in Last-Modified, so that clients that
 * compare the two find them equal.
 *
 * @param atMs milliseconds since the epoch
 */
export function xmlTimestamp(atMs: number): string {
  return new Date(Math.floor(atMs / 1000) * 1000).toISOString()
}

/**
 * The one owner of everything, and the initiator of every upload. A fixed name and not the access
 * key: listings of public buckets show it to everyone.
 */
export const owner = { ID: 'bucketry', DisplayName: 'bucketry' } as const satisfies XmlChildren
