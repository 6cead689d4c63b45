import { parseJsonObject } from './call-body.ts'
import { GoogleError } from './google-error.ts'

export interface RelatedParts {
  readonly metadata: Record<string, unknown>
  readonly media: Buffer
  readonly mediaType: string | undefined
}

const crlf = Buffer.from('\r\n')

/**
 * Metadata and bytes in one body (RFC 2387), in this order.
 *
 * @throws GoogleError when it is not that.
 */
export function parseRelated(body: Buffer, contentType: string | undefined): RelatedParts {
  const boundary = /^multipart\/related;.*\bboundary=(?:"([^"]+)"|([^\s;]+))/i.exec(
    contentType ?? '',
  )
  const name = boundary?.[1] ?? boundary?.[2]
  if (name === undefined) throw badBody('no boundary')
  const [metadata, media, ...more] = partsOf(body, Buffer.from(`--${name}`))
  if (metadata === undefined || media === undefined || more.length > 0) {
    throw badBody('expected two parts')
  }
  if (!/^application\/json\b/i.test(metadata.type ?? '')) throw badBody('the first part is no JSON')
  return { metadata: parseJsonObject(metadata.bytes), media: media.bytes, mediaType: media.type }
}

interface Part {
  readonly type: string | undefined
  readonly bytes: Buffer
}

function partsOf(body: Buffer, delimiter: Buffer): Part[] {
  const parts: Part[] = []
  let from = body.indexOf(delimiter)
  for (;;) {
    const start = from + delimiter.length
    if (from === -1) throw badBody('not ended')
    if (body.toString('latin1', start, start + 2) === '--') return parts
    from = body.indexOf(Buffer.concat([crlf, delimiter]), start)
    if (from === -1) throw badBody('not ended')
    parts.push(partOf(body.subarray(start + crlf.length, from)))
    from += crlf.length
  }
}

function partOf(bytes: Buffer): Part {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) throw badBody('a part has no head')
  const head = bytes.toString('latin1', 0, end)
  return {
    type: /^content-type:\s*(.*?)\s*$/im.exec(head)?.[1],
    bytes: bytes.subarray(end + 4),
  }
}

function badBody(what: string): GoogleError {
  return new GoogleError('badRequest', { message: `Malformed multipart body: ${what}.` })
}
