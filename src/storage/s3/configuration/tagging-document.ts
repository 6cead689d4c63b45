import type { Tags } from '../../drives/attributes.ts'
import { percentDecode } from '../address/query.ts'
import {
  childText,
  malformed,
  onlyChild,
  parseXmlBody,
  refuseOtherElements,
  type XmlElement,
} from '../body/xml-body.ts'
import type { Compatibility } from '../compatibility.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import type { XmlChildren } from '../reply/xml.ts'

/** The limit for tags of an object or bucket, with AWS's messages. */
export interface TagLimits {
  readonly maxTags: number
  /** The message for more tags. */
  readonly tooMany: string
  /** The message for a key that begins with `aws:`. */
  readonly reserved: string
}

/** User Guide, "Categorizing your objects using tags". */
export const objectTagLimits: TagLimits = {
  maxTags: 10,
  tooMany: 'Object tags cannot be greater than 10',
  reserved: 'Your TagKey cannot be prefixed with aws:',
}

/** User Guide, "Using cost allocation S3 bucket tags". */
export const bucketTagLimits: TagLimits = {
  maxTags: 50,
  tooMany: 'Bucket tag count cannot be greater than 50',
  reserved: 'System tags cannot be added/updated by requester',
}

/** A document of 50 tags with every character escaped is smaller. */
export const maxTaggingBytes = 256 * 1024

/** Whether objects may have tags. */
export function keepsTags(compatibility: Compatibility): boolean {
  return compatibility.objectTags
}

/** In UTF-16 units, as in S3 (User Guide, "Categorizing your objects using tags"). */
const maxKeyLength = 128
const maxValueLength = 256

/** API reference, S3Tag of S3 Control: "Pattern". */
const allowed = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u

const reserved = /^aws:/i

/**
 * The tags of a Tagging document (https://docs.aws.amazon.com/AmazonS3/latest/API/API_Tagging.html).
 *
 * @throws S3Error MalformedXML; InvalidTag that names the tag; BadRequest for too many
 */
export function parseTagging(body: Uint8Array, limits: TagLimits): Tags {
  const root = parseXmlBody(body, 'Tagging')
  refuseOtherElements(root, ['TagSet'])
  const set = onlyChild(root, 'TagSet')
  if (set === undefined) throw malformed('Tagging has no TagSet')
  refuseOtherElements(set, ['Tag'])
  return checkedTags(set.children.map(parseTag), limits)
}

/** A Tag element, also of a lifecycle rule. @throws S3Error MalformedXML */
export function parseTag(element: XmlElement): [key: string, value: string] {
  refuseOtherElements(element, ['Key', 'Value'])
  const [key, value] = [childText(element, 'Key'), childText(element, 'Value')]
  if (key === undefined || value === undefined) throw malformed('a Tag needs Key and Value')
  return [key, value]
}

export function taggingContent(tags: Tags): XmlChildren {
  return { TagSet: { Tag: tagElements(tags) } }
}

/** The Tag elements of a document, sorted by key: a tag set has no order. */
export function tagElements(tags: Tags): XmlChildren[] {
  return Object.entries(tags)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([Key, Value]) => ({ Key, Value }))
}

/**
 * The tags of an x-amz-tagging header, which has the form of a URL's query (API reference, PutObject).
 *
 * @throws S3Error InvalidArgument for another form or a repeated key; otherwise as `parseTagging`
 */
export function parseTaggingHeader(value: string): Tags {
  const tags = value.split('&').filter((pair) => pair !== '')
  const pairs = tags.map((pair): [string, string] => {
    const equals = pair.indexOf('=')
    const key = equals < 0 ? pair : pair.slice(0, equals)
    return [decoded(key, value), equals < 0 ? '' : decoded(pair.slice(equals + 1), value)]
  })
  if (new Set(pairs.map(([key]) => key)).size < pairs.length) throw unusableHeader(value)
  return checkedTags(pairs, objectTagLimits)
}

function decoded(text: string, header: string): string {
  try {
    return percentDecode(text.replaceAll('+', ' '))
  } catch {
    throw unusableHeader(header)
  }
}

function unusableHeader(value: string): S3Error {
  const message =
    "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates."
  return invalidArgument('x-amz-tagging', value, message)
}

/** Checks each tag, then their number, in the order of S3. */
export function checkedTags(
  tags: readonly (readonly [key: string, value: string])[],
  { maxTags, tooMany, reserved: reservedMessage }: TagLimits,
): Tags {
  const keys = new Set<string>()
  for (const [key, value] of tags) {
    if (key === '' || !isAllowed(key, maxKeyLength)) {
      throw invalidTag('The TagKey you have provided is invalid', { TagKey: key })
    }
    if (!isAllowed(value, maxValueLength)) {
      const elements = { TagKey: key, TagValue: value }
      throw invalidTag('The TagValue you have provided is invalid', elements)
    }
    if (keys.has(key)) {
      throw invalidTag('Cannot provide multiple Tags with the same key', { TagKey: key })
    }
    if (reserved.test(key)) throw invalidTag(reservedMessage, { TagKey: key })
    keys.add(key)
  }
  if (tags.length > maxTags) throw new S3Error('BadRequest', tooMany)
  // Not by assignment, which would set the prototype for `__proto__`.
  return Object.fromEntries(tags)
}

function isAllowed(text: string, maxLength: number): boolean {
  return text.length <= maxLength && allowed.test(text)
}

function invalidTag(message: string, elements: Readonly<Record<string, string>>): S3Error {
  return new S3Error('InvalidTag', message, { elements })
}
