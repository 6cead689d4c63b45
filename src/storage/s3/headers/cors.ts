import type { HeaderFields, HttpReply, HttpRequest } from '../../../platform/http/message.ts'
import {
  type CorsMatch,
  type CorsRule,
  matchCorsRule,
  preflightMaxAgeSeconds,
} from '../../buckets/cors-rules.ts'
import { addressOf, type VirtualHosts } from '../address/address.ts'
import type { S3Service, S3Settings } from '../context.ts'
import { S3Error } from '../errors.ts'

type AllowedOrigins = S3Settings['corsAllowedOrigins']

/**
 * Answers a preflight (Fetch standard, "CORS-preflight request") by CORS_ALLOWED_ORIGINS: 200 or 403.
 *
 * @throws S3Error AccessForbidden when the origin is not allowed, BadRequest when it is not a
 *   preflight.
 */
export function answerPreflight(request: HttpRequest, allowed: AllowedOrigins): HttpReply {
  const { origin, 'access-control-request-method': method } = request.headers
  if (origin === undefined || method === undefined) {
    throw new S3Error('BadRequest', 'Insufficient information. Origin request header needed.')
  }
  if (allowed.length === 0) {
    throw new S3Error(
      'AccessForbidden',
      'CORSResponse: CORS is not enabled. Set CORS_ALLOWED_ORIGINS to allow browsers of other origins.',
    )
  }
  if (!isAllowed(origin, allowed)) throw new S3Error('AccessForbidden')
  const requested = request.headers['access-control-request-headers']
  return {
    status: 200,
    headers: [
      ['Access-Control-Allow-Methods', 'GET, HEAD, PUT, POST, DELETE'],
      ...(requested === undefined ? [] : [['Access-Control-Allow-Headers', requested] as const]),
      ['Access-Control-Max-Age', String(preflightMaxAgeSeconds)],
      ['Content-Length', '0'],
    ],
  }
}

/**
 * The headers that let a page of the request's origin read the reply; none when CORS is off, the
 * request has no Origin or the origin is not allowed. Every header of the reply is exposed, since
 * user metadata can have any name.
 */
export function corsHeaders(
  request: HttpRequest,
  reply: HttpReply,
  allowed: AllowedOrigins,
): HeaderFields {
  if (allowed.length === 0) return []
  // Caches must not give the reply for one origin to another (Fetch standard, "CORS protocol and HTTP caches").
  const vary: HeaderFields = allowed.includes('*') ? [] : [['Vary', 'Origin']]
  const { origin } = request.headers
  if (origin === undefined || !isAllowed(origin, allowed)) return vary
  const exposed = new Set(['x-amz-request-id', 'content-length', 'date'])
  for (const [name] of reply.headers) exposed.add(name.toLowerCase())
  return [
    ['Access-Control-Allow-Origin', allowed.includes('*') ? '*' : origin],
    ['Access-Control-Expose-Headers', [...exposed].join(', ')],
    ...vary,
  ]
}

function isAllowed(origin: string, allowed: AllowedOrigins): boolean {
  return allowed.includes('*') || allowed.includes(origin)
}

/** What a reply depends on, whether or not a rule matches (Fetch standard, "CORS protocol and HTTP caches"). */
const vary: HeaderFields = [
  ['Vary', 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method'],
]

/** More than a page announces. Each is compared with every AllowedHeader, and a preflight is not signed. */
const maxRequestedHeaders = 100

/**
 * The CORS rules of the request's bucket, if it has any. A bucket without rules and one that does not exist
 * get the same replies.
 *
 * @param bucket undefined if the path was not read, as for a preflight.
 */
export function corsRulesOf(
  { buckets, settings }: Pick<S3Service, 'buckets' | 'settings'>,
  request: HttpRequest,
  bucket: string | undefined,
): readonly CorsRule[] | undefined {
  const name = request.method === 'OPTIONS' ? bucketOf(request, settings) : bucket
  return name === undefined ? undefined : buckets.find(name)?.cors
}

function bucketOf(request: HttpRequest, hosts: VirtualHosts): string | undefined {
  try {
    const address = addressOf(request, hosts)
    return address.level === 'service' ? undefined : address.bucket
  } catch {
    // A preflight of an unusable path is answered like any other.
    return undefined
  }
}

/**
 * Answers a preflight by the rules of a bucket, as S3 does
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/RESTOPTIONSobject.html).
 *
 * @throws S3Error AccessForbidden when no rule allows it, BadRequest when it is not a preflight.
 */
export function answerBucketPreflight(
  { headers }: HttpRequest,
  rules: readonly CorsRule[],
): HttpReply {
  const { origin, 'access-control-request-method': method } = headers
  if (origin === undefined) {
    throw new S3Error('BadRequest', 'Insufficient information. Origin request header needed.')
  }
  if (method === undefined) {
    throw new S3Error('BadRequest', 'Invalid Access-Control-Request-Method: null')
  }
  const requested = requestedHeaders(headers['access-control-request-headers'])
  const match = matchCorsRule(rules, { origin, method, headers: requested })
  if (match === undefined) {
    throw notAllowed('No rule of the bucket allows its origin, method and headers.')
  }
  const { maxAgeSeconds } = match.rule
  return {
    status: 200,
    headers: [
      ...allowingHeaders(match, origin),
      ...(requested.length === 0
        ? []
        : [['Access-Control-Allow-Headers', requested.join(', ')] as const]),
      ...(maxAgeSeconds === undefined
        ? []
        : [['Access-Control-Max-Age', String(maxAgeSeconds)] as const]),
      ['Content-Length', '0'],
    ],
  }
}

/**
 * The headers that let a page of the request's origin read the reply, by the rules of the bucket. The reply to
 * a preflight that is allowed has them already.
 */
export function bucketCorsHeaders(
  { method, headers }: HttpRequest,
  rules: readonly CorsRule[],
): HeaderFields {
  const { origin } = headers
  if (origin === undefined || method === 'OPTIONS') return vary
  // As S3: what a request announces counts, also when it is not a preflight. Browsers announce only in those.
  const announced = headers['access-control-request-method'] ?? method
  const match = matchCorsRule(rules, { origin, method: announced, headers: [] })
  return match === undefined ? vary : [...allowingHeaders(match, origin), ...vary]
}

function allowingHeaders({ rule, isAnyOrigin }: CorsMatch, origin: string): HeaderFields {
  const { allowedMethods, exposeHeaders } = rule
  return [
    ['Access-Control-Allow-Origin', isAnyOrigin ? '*' : origin],
    ['Access-Control-Allow-Methods', allowedMethods.join(', ')],
    ...(exposeHeaders.length === 0
      ? []
      : [['Access-Control-Expose-Headers', exposeHeaders.join(', ')] as const]),
    // Browsers refuse it together with `*` (Fetch standard, "CORS check").
    ...(isAnyOrigin ? [] : [['Access-Control-Allow-Credentials', 'true'] as const]),
  ]
}

/** Names in lower case, each once. */
function requestedHeaders(field: string | string[] | undefined): string[] {
  if (field === undefined) return []
  const names = String(field).split(',', maxRequestedHeaders + 1)
  if (names.length > maxRequestedHeaders) {
    throw notAllowed(`It announces more than ${maxRequestedHeaders} headers.`)
  }
  return [...new Set(names.map((name) => name.trim().toLowerCase()))].filter((name) => name !== '')
}

function notAllowed(why: string): S3Error {
  return new S3Error('AccessForbidden', `CORSResponse: This CORS request is not allowed. ${why}`)
}
