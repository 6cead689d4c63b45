/**
 * The text that Signature Version 4 covers
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html). Strings are latin1, one character per
 * received byte, because a signature covers exact bytes.
 */

import { hash } from 'node:crypto'
import type { HttpRequest } from '../../../platform/http/message.ts'
import type { SignatureClaim } from './signature-claim.ts'
import { uriReencode, uriReencodePath } from './uri-encode.ts'

export interface CanonicalParts {
  readonly method: string
  readonly path: string
  /** Sorted by canonicalQuery. */
  readonly query: string
  readonly signedHeaders: readonly SignedHeader[]
  /** x-amz-content-sha256 or its default. */
  readonly payloadHash: string
}

export interface SignedHeader {
  readonly name: string
  /** Normalised by received-headers.ts. */
  readonly value: string
}

/** The canonical request of step 1. */
export function canonicalRequest(parts: CanonicalParts): string {
  let lines = `${parts.method}\n${parts.path}\n${parts.query}\n`
  let names = ''
  for (const { name, value } of parts.signedHeaders) {
    lines += `${name}:${value}\n`
    names += names === '' ? name : `;${name}`
  }
  return `${lines}\n${names}\n${parts.payloadHash}`
}

/** The string to sign of step 2. `scope` is `day/region/s3/aws4_request`. */
export function stringToSign(canonical: string, amzDate: string, scope: string): string {
  const digest = hash('sha256', Buffer.from(canonical, 'latin1'), 'hex')
  return `AWS4-HMAC-SHA256\n${amzDate}\n${scope}\n${digest}`
}

/**
 * The pairs of a raw query sorted by name, then by value, as bytes. A name without `=` gets one.
 * X-Amz-Signature is left out: it is what the presigned form adds last.
 */
export function canonicalQuery(rawQuery: string, compare = comparePairs): string {
  if (rawQuery === '') return ''
  return rawQuery
    .split('&')
    .filter((pair) => pair !== '' && !pair.startsWith('X-Amz-Signature='))
    .map(splitPair)
    .sort(compare)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** A raw query written the way AWS writes it; `+` is a space there. Not sorted. */
function reencodedQuery(rawQuery: string): string {
  return rawQuery
    .replaceAll('+', ' ')
    .split('&')
    .map((pair) => {
      const [name, value] = splitPair(pair)
      return pair === '' ? '' : `${uriReencode(name)}=${uriReencode(value)}`
    })
    .join('&')
}

type Pair = readonly [name: string, value: string]

function splitPair(pair: string): Pair {
  const equals = pair.indexOf('=')
  return equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
}

// Latin1 strings compare as their bytes do.
function comparePairs(a: Pair, b: Pair): number {
  return compareNames(a, b) || Number(a[1] > b[1]) - Number(a[1] < b[1])
}

/** Leaves the values of a repeated name in their order. */
function compareNames([a]: Pair, [b]: Pair): number {
  return Number(a > b) - Number(a < b)
}

interface ReadingSource {
  readonly request: HttpRequest
  readonly claim: SignatureClaim
  /** Normalised by received-headers.ts. */
  readonly signedHeaders: readonly SignedHeader[]
  readonly publicUrl: string | undefined
}

// The default: docs/contract/object-storage.md, "Canonical request".
const unsignedPayload = 'UNSIGNED-PAYLOAD'
const emptyPayloadHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Characters. No legal request has a longer path or query. */
const maxReencodedPath = 4 * 1024
const maxReencodedQuery = 16 * 1024

/** The canonical request that a signature is verified against first. It usually matches. */
export function likeliestReading(source: ReadingSource): CanonicalParts {
  const usual = usualReading(source)
  return encodingReadings(usual)[0] ?? usual
}

/**
 * The others, the likeliest first. Each is built only if the one before did not match.
 * docs/decisions/0009-signatures-in-other-readings.md says which client needs which.
 */
export function* otherReadings(source: ReadingSource): Generator<CanonicalParts> {
  const all = readings(source)
  all.next()
  yield* all
}

function* readings(source: ReadingSource): Generator<CanonicalParts> {
  const publicHost = source.publicUrl?.replace(/^https?:\/\//, '')
  for (const received of readingsAsReceived(source)) {
    for (const reading of encodingReadings(received)) {
      yield reading
      if (publicHost === undefined) continue
      // As signed by the client of a proxy that changes Host, or only its case or port.
      const signedHeaders = withValue(reading.signedHeaders, 'host', publicHost)
      if (signedHeaders !== undefined) yield { ...reading, signedHeaders }
    }
  }
}

/** A signed accept-encoding as `identity` or as received (docs/contract/object-storage.md, "Signed accept-encoding"). */
function encodingReadings(reading: CanonicalParts): readonly CanonicalParts[] {
  const identity = withValue(reading.signedHeaders, 'accept-encoding', 'identity')
  return identity === undefined ? [reading] : [{ ...reading, signedHeaders: identity }, reading]
}

function usualReading({ request, claim, signedHeaders }: ReadingSource): CanonicalParts {
  return {
    method: request.method,
    path: request.rawPath,
    query: canonicalQuery(request.rawQuery),
    signedHeaders: withFoldedTabs(signedHeaders),
    payloadHash: claim.payloadHash ?? unsignedPayload,
  }
}

/** No client needs two alternatives at once, so they are not combined. */
function* readingsAsReceived(source: ReadingSource): Generator<CanonicalParts> {
  const { request, claim, signedHeaders } = source
  const { rawPath, rawQuery } = request
  const usual = usualReading(source)
  yield usual
  if (usual.signedHeaders !== signedHeaders) yield { ...usual, signedHeaders }
  const unsortedValues = canonicalQuery(rawQuery, compareNames)
  if (unsortedValues !== usual.query) yield { ...usual, query: unsortedValues }
  const isWithoutHash = claim.form === 'header' && claim.payloadHash === undefined
  if (isWithoutHash) yield { ...usual, payloadHash: emptyPayloadHash }
  if (rawPath.length > maxReencodedPath || rawQuery.length > maxReencodedQuery) return
  const path = reencodedPath(rawPath)
  const query = canonicalQuery(reencodedQuery(rawQuery))
  if (path !== usual.path || query !== usual.query) yield { ...usual, path, query }
}

/** A path as AWS encodes it. A path that is too long for an object is not encoded. */
export function reencodedPath(rawPath: string): string {
  return rawPath.length > maxReencodedPath ? rawPath : uriReencodePath(rawPath)
}

/**
 * Replaces every run of spaces and tabs by one space. AWS says "spaces", but most SDKs fold the white space of their
 * language. Returns the same array if there is no tab.
 */
function withFoldedTabs(headers: readonly SignedHeader[]): readonly SignedHeader[] {
  if (!headers.some(({ value }) => value.includes('\t'))) return headers
  return headers.map(({ name, value }) => ({ name, value: value.replace(/[ \t]+/g, ' ') }))
}

/** Replaces the value of a header. Undefined if the header is not signed or has that value already. */
function withValue(
  headers: readonly SignedHeader[],
  name: string,
  value: string,
): readonly SignedHeader[] | undefined {
  const index = headers.findIndex((header) => header.name === name)
  return index < 0 || headers[index]?.value === value
    ? undefined
    : headers.with(index, { name, value })
}
