/**
 * Cross-origin requests of browsers (Fetch standard, "CORS protocol"). The CORS rules of a bucket decide, if it has any,
 * otherwise CORS_ALLOWED_ORIGINS.
 */

import type { HeaderFields, HttpReply, HttpRequest } from '../../../platform/http/message.ts'
import {
  type CorsMatch,
  type CorsRule,
  matchCorsRule,
  preflightMaxAgeSeconds,
} from '../../buckets/cors-rules.ts'
import { addressOf } from '../address/address.ts'
import type { S3Service } from '../context.ts'
import { S3Error } from '../errors.ts'

type CorsService = Pick<S3Service, 'buckets' | 'settings'>

/** What a reply depends on, whether or not a rule matches (Fetch standard, "CORS protocol and HTTP caches"). */
const variesByRules: HeaderFields = [
  ['Vary', 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method'],
]

/** More than a page announces. A preflight is not signed, and each header is compared with every AllowedHeader. */
const maxRequestedHeaders = 100

/**
 * Answers a preflight (Fetch standard, "CORS-preflight request";
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTOPTIONSobject.html): 200, or an error.
 *
 * @throws S3Error AccessForbidden if the origin, method or headers are not allowed, BadRequest if it is not a preflight.
 */
export function answerPreflight(
  request: HttpRequest,
  service: CorsService,
  hostBucket?: string,
): HttpReply {
  const { origin, 'access-control-request-method': method } = request.headers
  if (origin === undefined) {
    throw new S3Error('BadRequest', 'Insufficient information. Origin request header needed.')
  }
  if (method === undefined) {
    throw new S3Error('BadRequest', 'Invalid Access-Control-Request-Method: null')
  }
  const requested = request.headers['access-control-request-headers']
  const rules = rulesOf(service, bucketOfPreflight(request, hostBucket))
  const headers =
    rules === undefined
      ? preflightBySettings(origin, requested?.toString(), service)
      : preflightByRules(rules, { origin, method, headers: requestedHeaders(requested) })
  return { status: 200, headers: [...headers, ['Content-Length', '0']] }
}

/**
 * The headers that let a page of the request's origin read the reply.
 *
 * @param named `bucket` is undefined if the request names none, or if its path could not be read
 */
export function corsHeaders(
  request: HttpRequest,
  reply: HttpReply,
  service: CorsService,
  named: { readonly bucket?: string | undefined; readonly hostBucket?: string | undefined },
): HeaderFields {
  const { method } = request
  const rules = rulesOf(
    service,
    method === 'OPTIONS' ? bucketOfPreflight(request, named.hostBucket) : named.bucket,
  )
  return rules === undefined
    ? headersBySettings(request, reply, service)
    : headersByRules(request, rules)
}

/** Undefined if the bucket has no rules. A bucket that does not exist gets the same replies as one without rules. */
function rulesOf({ buckets }: CorsService, bucket: string | undefined) {
  return bucket === undefined ? undefined : buckets.find(bucket)?.cors
}

function bucketOfPreflight(
  request: HttpRequest,
  hostBucket: string | undefined,
): string | undefined {
  try {
    const address = addressOf(request, hostBucket)
    return address.level === 'service' ? undefined : address.bucket
  } catch {
    // A preflight for an invalid path is answered like any other.
    return undefined
  }
}

function preflightBySettings(
  origin: string,
  requested: string | undefined,
  { settings: { corsAllowedOrigins: allowed } }: CorsService,
): HeaderFields {
  if (allowed.length === 0) {
    throw new S3Error(
      'AccessForbidden',
      'CORSResponse: CORS is not enabled. Set CORS_ALLOWED_ORIGINS to allow browsers of other origins.',
    )
  }
  if (!isAllowed(origin, allowed)) throw new S3Error('AccessForbidden')
  return [
    ['Access-Control-Allow-Methods', 'GET, HEAD, PUT, POST, DELETE'],
    ...optional('Access-Control-Allow-Headers', requested),
    ['Access-Control-Max-Age', String(preflightMaxAgeSeconds)],
  ]
}

/** Every header of the reply is exposed, because user metadata can have any name. */
function headersBySettings(
  { headers: { origin } }: HttpRequest,
  reply: HttpReply,
  { settings: { corsAllowedOrigins: allowed } }: CorsService,
): HeaderFields {
  if (allowed.length === 0) return []
  // Caches must not give the reply for one origin to another.
  const vary: HeaderFields = allowed.includes('*') ? [] : [['Vary', 'Origin']]
  if (origin === undefined || !isAllowed(origin, allowed)) return vary
  const exposed = new Set(['x-amz-request-id', 'content-length', 'date'])
  for (const [name] of reply.headers) exposed.add(name.toLowerCase())
  return [
    ['Access-Control-Allow-Origin', allowed.includes('*') ? '*' : origin],
    ['Access-Control-Expose-Headers', [...exposed].join(', ')],
    ...vary,
  ]
}

function isAllowed(origin: string, allowed: readonly string[]): boolean {
  return allowed.includes('*') || allowed.includes(origin)
}

function preflightByRules(
  rules: readonly CorsRule[],
  requested: { readonly origin: string; readonly method: string; readonly headers: string[] },
): HeaderFields {
  const match = matchCorsRule(rules, requested)
  if (match === undefined) {
    throw notAllowed('No rule of the bucket allows its origin, method and headers.')
  }
  return [
    ...allowingHeaders(match, requested.origin),
    ...optional('Access-Control-Allow-Headers', requested.headers.join(', ')),
    ...optional('Access-Control-Max-Age', match.rule.maxAgeSeconds?.toString()),
  ]
}

function headersByRules(
  { method, headers }: HttpRequest,
  rules: readonly CorsRule[],
): HeaderFields {
  const { origin } = headers
  // The reply to an allowed preflight has its headers already.
  if (origin === undefined || method === 'OPTIONS') return variesByRules
  // As S3: the announced method counts, even if the request is not a preflight.
  const announced = headers['access-control-request-method'] ?? method
  const match = matchCorsRule(rules, { origin, method: announced, headers: [] })
  return match === undefined ? variesByRules : [...allowingHeaders(match, origin), ...variesByRules]
}

function allowingHeaders({ rule, isAnyOrigin }: CorsMatch, origin: string): HeaderFields {
  return [
    ['Access-Control-Allow-Origin', isAnyOrigin ? '*' : origin],
    ['Access-Control-Allow-Methods', rule.allowedMethods.join(', ')],
    ...optional('Access-Control-Expose-Headers', rule.exposeHeaders.join(', ')),
    // Browsers refuse it together with `*` (Fetch standard, "CORS check").
    ...optional('Access-Control-Allow-Credentials', isAnyOrigin ? undefined : 'true'),
  ]
}

function optional(name: string, value: string | undefined): HeaderFields {
  return value === undefined || value === '' ? [] : [[name, value]]
}

/** Names in lower case, without repetitions. */
function requestedHeaders(field: string | string[] | undefined): string[] {
  const names = String(field ?? '').split(',', maxRequestedHeaders + 1)
  if (names.length > maxRequestedHeaders) {
    throw notAllowed(`It announces more than ${maxRequestedHeaders} headers.`)
  }
  return [...new Set(names.map((name) => name.trim().toLowerCase()))].filter((name) => name !== '')
}

function notAllowed(why: string): S3Error {
  return new S3Error('AccessForbidden', `CORSResponse: This CORS request is not allowed. ${why}`)
}
