import type { HeaderFields, HttpReply } from '../../http/message.ts'
import { type XmlChildren, xmlDocument } from './xml.ts'

/** 200 with a result document. */
export function xmlReply(
  root: string,
  content: XmlChildren | string,
  headers: HeaderFields = [],
): HttpReply {
  return {
    status: 200,
    headers: [['Content-Type', 'application/xml'], ...headers],
    body: xmlDocument(root, content),
  }
}
