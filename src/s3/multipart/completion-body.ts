import { checksumAlgorithms } from '../../drives/attributes.ts'
import { childText, parseXmlBody, type XmlElement } from '../body/xml-body.ts'
import type { SentChecksum } from '../checksums/checksum-headers.ts'
import { unquoteEtag } from '../checksums/etag.ts'
import { S3Error } from '../errors.ts'
import type { ListedPart } from './completion.ts'
import { maxPartNumber, readPartNumber } from './part-request.ts'

/**
 * The parts that the body of a CompleteMultipartUpload lists, in its order.
 *
 * @throws S3Error InvalidArgument for a malformed or empty body, where AWS has MalformedXML
 *   (docs/contract/object-storage.md, "Complete").
 */
export function parseCompletionBody(body: Uint8Array): ListedPart[] {
  try {
    return parseParts(parseXmlBody(body, 'CompleteMultipartUpload'))
  } catch (cause) {
    if (!(cause instanceof S3Error && cause.code === 'MalformedXML')) throw cause
    throw new S3Error('InvalidArgument', cause.message, { cause })
  }
}

function parseParts(document: XmlElement): ListedPart[] {
  const elements = document.children.filter(({ name }) => name === 'Part')
  if (elements.length === 0 || elements.length > maxPartNumber) {
    throw new S3Error(
      'InvalidArgument',
      `CompleteMultipartUpload must list 1 to ${maxPartNumber} parts, got ${elements.length}.`,
    )
  }
  return elements.map(parsePart)
}

function parsePart(element: XmlElement): ListedPart {
  const number = readPartNumber('PartNumber', textOf(element, 'PartNumber'))
  const etag = unquoteEtag(textOf(element, 'ETag')).toLowerCase()
  return { number, etag, checksums: checksumsOf(element) }
}

function textOf(element: XmlElement, name: string): string {
  const text = childText(element, name)?.trim() ?? ''
  if (text !== '') return text
  throw new S3Error('InvalidArgument', `A Part of CompleteMultipartUpload is missing ${name}.`)
}

function checksumsOf(element: XmlElement): SentChecksum[] {
  const checksums: SentChecksum[] = []
  for (const algorithm of checksumAlgorithms) {
    const value = childText(element, `Checksum${algorithm}`)?.trim() ?? ''
    if (value !== '') checksums.push({ algorithm, value })
  }
  return checksums
}
