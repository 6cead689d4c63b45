import type { HeaderFields, HttpReply, HttpRequest } from '../../../platform/http/message.ts'
import { preflightMaxAgeSeconds } from '../../buckets/cors-rules.ts'
import type { S3Settings } from '../context.ts'
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
