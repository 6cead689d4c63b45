import { type CorsMethod, type CorsRule, corsMethods } from '../../buckets/cors-rules.ts'
import {
  childText,
  childTexts,
  malformed,
  parseXmlBody,
  refuseOtherElements,
  wholeNumber,
  type XmlElement,
} from '../body/xml-body.ts'
import { invalidArgument, S3Error, shortened } from '../errors.ts'
import type { XmlChildren } from '../reply/xml.ts'

/** API reference, PutBucketCors: "The document is limited to 64 KB in size." */
export const maxCorsBytes = 64 * 1024

/** API reference, PutBucketCors: "You can add up to 100 rules". */
const maxRules = 100

/** API reference, CORSRule. */
const maxIdLength = 255

const ruleElements = [
  'ID',
  'AllowedHeader',
  'AllowedMethod',
  'AllowedOrigin',
  'ExposeHeader',
  'MaxAgeSeconds',
]

/**
 * The rules of a CORSConfiguration
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketCors.html).
 *
 * @throws S3Error MalformedXML, InvalidRequest or InvalidArgument, as S3
 */
export function parseCors(body: Uint8Array): CorsRule[] {
  const root = parseXmlBody(body, 'CORSConfiguration')
  refuseOtherElements(root, ['CORSRule'])
  if (root.children.length === 0) throw malformed('CORSConfiguration has no CORSRule')
  if (root.children.length > maxRules) {
    throw invalid(`The number of CORS rules should not exceed allowed limit of ${maxRules} rules.`)
  }
  return root.children.map(parseRule)
}

/** The content of a CORSConfiguration, in the order of S3. */
export function corsContent(rules: readonly CorsRule[]): XmlChildren {
  return {
    CORSRule: rules.map((rule) => ({
      ID: rule.id,
      AllowedHeader: rule.allowedHeaders,
      AllowedMethod: rule.allowedMethods,
      AllowedOrigin: rule.allowedOrigins,
      ExposeHeader: rule.exposeHeaders,
      MaxAgeSeconds: rule.maxAgeSeconds,
    })),
  }
}

function parseRule(element: XmlElement): CorsRule {
  refuseOtherElements(element, ruleElements)
  const id = childText(element, 'ID')
  if (id !== undefined && id.length > maxIdLength) {
    throw invalidArgument(
      'ID',
      shortened(id),
      `ID length should not exceed ${maxIdLength} characters.`,
    )
  }
  const origins = required(element, 'AllowedOrigin')
  for (const origin of origins) refuseWildcards('AllowedOrigin', origin)
  const headers = childTexts(element, 'AllowedHeader')
  for (const header of headers) refuseWildcards('AllowedHeader', header)
  const maxAge = childText(element, 'MaxAgeSeconds')
  return {
    ...(id !== undefined && { id }),
    allowedOrigins: origins,
    allowedMethods: required(element, 'AllowedMethod').map(parseMethod),
    allowedHeaders: headers,
    exposeHeaders: childTexts(element, 'ExposeHeader').map(parseExposed),
    ...(maxAge !== undefined && { maxAgeSeconds: parseMaxAge(maxAge) }),
  }
}

function required(element: XmlElement, name: string): string[] {
  const texts = childTexts(element, name)
  if (texts.length === 0) throw malformed(`a CORSRule has no ${name}`)
  if (texts.includes('')) throw malformed(`${name} is empty`)
  return texts
}

function parseMethod(text: string): CorsMethod {
  const method = corsMethods.find((known) => known === text)
  if (method !== undefined) return method
  throw invalid(
    `Found unsupported HTTP method in CORS config. Unsupported method is ${shortened(text)}`,
  )
}

/** Checks the name strictly, because it is sent in a header. */
function parseExposed(name: string): string {
  if (name.includes('*')) {
    throw invalid(
      `ExposeHeader "${shortened(name)}" contains wildcard. We currently do not support wildcard for ExposeHeader.`,
    )
  }
  // RFC 9110 section 5.1: a field name is a token.
  if (!/^[!#$%&'+\-.^_`|~0-9A-Za-z]+$/.test(name)) {
    throw invalid(`ExposeHeader "${shortened(name)}" contains invalid character.`)
  }
  return name
}

function parseMaxAge(text: string): number {
  const seconds = wholeNumber('MaxAgeSeconds', text)
  if (seconds < 0) throw malformed('MaxAgeSeconds is negative')
  return seconds
}

function refuseWildcards(name: string, value: string): void {
  if (value.indexOf('*') === value.lastIndexOf('*')) return
  throw invalid(`${name} "${shortened(value)}" can not have more than one wildcard.`)
}

function invalid(message: string): S3Error {
  return new S3Error('InvalidRequest', message)
}
