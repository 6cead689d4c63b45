/**
 * The text that a Signature Version 4 covers
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html). Everything here is
 * a latin1 string, one character per byte received, because the signature is over exact bytes.
 */

import { hash } from 'node:crypto'
import { uriReencode } from './uri-encode.ts'

export interface CanonicalParts {
  readonly method: string
  readonly path: string
  /** Sorted already, see canonicalQuery. */
  readonly query: string
  readonly signedHeaders: readonly SignedHeader[]
  /** x-amz-content-sha256 or its default. */
  readonly payloadHash: string
}

export interface SignedHeader {
  readonly name: string
  /** Normalised, see received-headers.ts. */
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
export function reencodedQuery(rawQuery: string): string {
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
export function compareNames([a]: Pair, [b]: Pair): number {
  return Number(a > b) - Number(a < b)
}
