import type { HeaderFields, HttpReply } from '../../../platform/http/message.ts'

/** Writes the XML documents of S3. body/xml-body.ts parses those of requests. */

const s3Namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'

/** An element: text, children in order, or absent. An array repeats the element. */
export type XmlValue =
  | string
  | number
  | boolean
  | XmlChildren
  | XmlFragment
  | undefined
  | readonly XmlValue[]
export interface XmlChildren {
  readonly [element: string]: XmlValue
}

/** Elements that are already serialized with their names; the parent key is not written. */
export class XmlFragment {
  readonly xml: string

  constructor(xml: string) {
    this.xml = xml
  }
}

/**
 * A document with elements or text in its root. The namespace is S3's by default.
 */
export function xmlDocument(
  root: string,
  content: XmlChildren | string,
  options: { readonly namespace?: boolean } = {},
): string {
  const namespace = options.namespace === false ? '' : ` xmlns="${s3Namespace}"`
  const inner = typeof content === 'string' ? escapeXml(content) : xmlElements(content)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${namespace}>${inner}</${root}>`
}

function xmlElements(children: XmlChildren): string {
  let xml = ''
  for (const name in children) xml += xmlElement(name, children[name])
  return xml
}

function xmlElement(name: string, value: XmlValue): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.map((item) => xmlElement(name, item)).join('')
  if (value instanceof XmlFragment) return value.xml
  if (typeof value === 'object') return `<${name}>${xmlElements(value as XmlChildren)}</${name}>`
  return `<${name}>${escapeXml(String(value))}</${name}>`
}

/**
 * Characters that XML 1.0 cannot represent, even as references (section 2.2, production Char).
 */
const forbiddenInXml =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Removes these characters, with which a document is not well-formed. */
export function withoutForbidden(text: string): string {
  return text.replace(forbiddenInXml, '')
}

const special = new RegExp(`[&<>\r\n\t]|${forbiddenInXml.source}`, 'g')

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
}

/**
 * Escapes text for an element, but not for an attribute. Quotes stay: XML 1.0 section 2.4 requires escapes only for `&`,
 * `<` and the `>` of `]]>`, and fast-xml-parser refuses documents with more than 1,000 entities, such as the quotes around
 * 501 ETags. CR, LF and TAB become character references, because parsers normalise them (section 2.11). As in S3, so do
 * other control characters, for which XML 1.0 has no legal form; clients avoid them with encoding-type=url.
 */
export function escapeXml(text: string): string {
  return text.replace(
    special,
    (character) =>
      entities[character] ?? `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`,
  )
}

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
 * A time in an XML document, in ISO 8601. Like Last-Modified, it has whole seconds so that the two are equal.
 *
 * @param atMs milliseconds since the epoch
 */
export function xmlTimestamp(atMs: number): string {
  return new Date(Math.floor(atMs / 1000) * 1000).toISOString()
}

/**
 * The owner of every bucket and object, and the initiator of every upload. The name is fixed, because listings of public
 * buckets show it to everyone.
 */
export const owner = { ID: 'bucketry', DisplayName: 'bucketry' } as const satisfies XmlChildren
