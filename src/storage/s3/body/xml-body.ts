import { SaxesParser } from 'saxes'
import type { HttpRequest } from '../../../platform/http/message.ts'
import { S3Error, shortened } from '../errors.ts'
import type { ExpectedDigests } from '../headers/checksum-headers.ts'
import { declaredSize, readPayload } from './payload.ts'

/** docs/contract/object-storage.md, "Limits". */
export const maxXmlBodyBytes = 4 * 1024 * 1024

/** The maximum number of parts of a document, each of which takes time to parse. */
interface XmlLimits {
  /** Elements and attributes. */
  readonly nodes: number
  /** References to characters and entities, such as `&amp;`. */
  readonly references: number
}

/** More than any configuration of a bucket, such as 1,000 lifecycle rules with ten tags each. */
const configurationLimits: XmlLimits = { nodes: 50_000, references: 100_000 }

/** S3's documents have at most four levels. */
const maxDepth = 16

/** Maximum characters of a message. The parser's messages quote the document. */
const maxMessageLength = 200

/** An element of a body, without namespaces and attributes, which no S3 request needs. */
export interface XmlElement {
  readonly name: string
  readonly children: readonly XmlElement[]
  /** Its own text, with references resolved and white space kept. */
  readonly text: string
}

interface OpenElement {
  readonly name: string
  readonly children: XmlElement[]
  text: string
}

/**
 * Parses the body of a request. A document type is refused, so there are no entities but the five predefined ones.
 *
 * @throws S3Error MalformedXML if it is not well-formed UTF-8 XML with this root element, or exceeds the limits
 */
export function parseXmlBody(
  body: Uint8Array,
  rootName: string,
  limits: XmlLimits = configurationLimits,
): XmlElement {
  const text = decodeUtf8(body)
  refuseMore(text, '&', limits.references)
  // The parser replaces each carriage return. A usual document has at most one for each node.
  refuseMore(text, '\r', limits.nodes)
  const root = parseDocument(text, limits.nodes)
  if (root?.name === rootName) return root
  throw malformed(`it is not a ${rootName} document`)
}

/**
 * The text of the only child of this name; undefined if there is none.
 *
 * @throws S3Error MalformedXML if there are several
 */
export function childText(element: XmlElement, name: string): string | undefined {
  return onlyChild(element, name)?.text
}

function decodeUtf8(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw malformed('it is not UTF-8', { cause })
  }
}

function refuseMore(text: string, character: '&' | '\r', max: number): void {
  let count = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
    count += 1
    if (count <= max) continue
    const name = character === '&' ? 'references' : 'carriage returns'
    throw malformed(`it has more than ${max} ${name}`)
  }
}

function parseDocument(text: string, maxNodes: number): XmlElement | undefined {
  const parser = new SaxesParser({ xmlns: false, position: true })
  const open: OpenElement[] = [{ name: '', children: [], text: '' }]
  const addText = (piece: string) => {
    const element = open.at(-1)
    if (element !== undefined) element.text += piece
  }
  let nodes = 0
  const countNode = () => {
    nodes += 1
    if (nodes > maxNodes) throw malformed(`it has more than ${maxNodes} elements and attributes`)
  }
  parser.on('attribute', countNode)
  parser.on('error', (cause) => {
    throw malformed(`it is not well-formed: ${cause.message}`, { cause })
  })
  parser.on('doctype', () => {
    throw malformed('a document type is not allowed')
  })
  parser.on('opentag', ({ name }) => {
    countNode()
    if (open.length > maxDepth) throw malformed(`it is more than ${maxDepth} elements deep`)
    open.push({ name: name.slice(name.indexOf(':') + 1), children: [], text: '' })
  })
  parser.on('closetag', () => {
    const closed = open.pop()
    if (closed !== undefined) open.at(-1)?.children.push(closed)
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.write(text).close()
  return open[0]?.children[0]
}

/** @param reason completes a sentence; a full stop at its end is dropped */
export function malformed(reason: string, options: ErrorOptions = {}): S3Error {
  const message = `The XML you provided cannot be used: ${reason.replace(/\.$/, '')}.`.slice(
    0,
    maxMessageLength,
  )
  return new S3Error('MalformedXML', message, options)
}

/**
 * Reads a body into memory, such as an XML document. A missing body is empty.
 *
 * @param expected the digests to verify. Default: those in the headers
 * @throws S3Error MaxMessageLengthExceeded above `maxBytes`; as readPayload
 */
export async function readSmallBody(
  request: HttpRequest,
  maxBytes: number,
  expected?: ExpectedDigests,
): Promise<Buffer> {
  const size = declaredSize(request)
  if ((size ?? 0) > maxBytes) throw new S3Error('MaxMessageLengthExceeded')
  const chunks: Buffer[] = []
  let taken = 0
  const sink = {
    write: async (chunk: Uint8Array): Promise<void> => {
      taken += chunk.length
      if (taken > maxBytes) throw new S3Error('MaxMessageLengthExceeded')
      chunks.push(Buffer.from(chunk))
    },
  }
  await readPayload(request, sink, expected === undefined ? { size } : { size, expected })
  return Buffer.concat(chunks, taken)
}

/**
 * Refuses elements that S3's schema does not have here.
 *
 * @throws S3Error MalformedXML
 */
export function refuseOtherElements(element: XmlElement, known: readonly string[]): void {
  const other = element.children.find(({ name }) => !known.includes(name))
  if (other !== undefined)
    throw malformed(`${element.name} has no element ${shortened(other.name)}`)
}

/** The texts of all children of this name. */
export function childTexts(element: XmlElement, name: string): string[] {
  return element.children.filter((child) => child.name === name).map(({ text }) => text)
}

/**
 * The only child of this name; undefined if there is none.
 *
 * @throws S3Error MalformedXML if there are several
 */
export function onlyChild(element: XmlElement, name: string): XmlElement | undefined {
  const found = element.children.filter((child) => child.name === name)
  if (found.length > 1) throw malformed(`${element.name} has more than one ${name}`)
  return found[0]
}

/**
 * Parses an integer in the form of XML Schema.
 *
 * @throws S3Error MalformedXML
 */
export function wholeNumber(name: string, text: string): number {
  const trimmed = text.trim()
  const value = Number(trimmed)
  // S3's schema has 32 bits.
  if (/^[+-]?\d{1,10}$/.test(trimmed) && Math.abs(value) <= 0x7fffffff) return value
  throw malformed(`${name} must be a whole number`)
}
