import type { RenderFault } from '../http/fault.ts'
import type { HttpHandler, HttpReply, HttpRequest } from '../http/message.ts'
import { S3Error, type S3ErrorCode } from '../s3/errors.ts'
import { errorDocument } from '../s3/render-error.ts'

export interface GatewayParts {
  /** Everything that no other part claims. */
  readonly s3: HttpHandler
  readonly health: HttpHandler
  /** The login, the model list and the management API. */
  readonly json: HttpHandler
  /** The dashboard's pages. */
  readonly web: HttpHandler
}

/** A place in the URL space: the path itself, or everything below it too. */
interface Route {
  readonly path: string
  readonly isWhole: boolean
  readonly handle: HttpHandler
}

/**
 * The URL space of docs/architecture.md as one handler, without port or environment. Protocols are
 * rows of its table; S3 has the rest.
 */
export function createGateway({ s3, health, json, web }: GatewayParts): HttpHandler {
  const routes: readonly Route[] = [
    { path: '/-/healthz', isWhole: false, handle: health },
    { path: '/-/api', isWhole: false, handle: json },
    { path: '/-/docs', isWhole: false, handle: json },
    { path: '/-/openapi.json', isWhole: true, handle: json },
    { path: '/-', isWhole: false, handle: web },
    { path: '/auth', isWhole: false, handle: json },
    { path: '/v1', isWhole: false, handle: json },
  ]
  return (request) => {
    if (isVisit(request)) return Promise.resolve(toDashboard)
    const route = routes.find((candidate) => matches(candidate, request.rawPath))
    return (route?.handle ?? s3)(request)
  }
}

function matches({ path, isWhole }: Route, rawPath: string): boolean {
  if (!rawPath.startsWith(path)) return false
  return rawPath.length === path.length || (!isWhole && rawPath[path.length] === '/')
}

/** A person who typed the address: a browser, unsigned. S3 clients that ask for `/` list the buckets. */
function isVisit({ rawPath, rawQuery, method, headers }: HttpRequest): boolean {
  if (rawPath !== '/' || rawQuery !== '' || (method !== 'GET' && method !== 'HEAD')) return false
  return headers.authorization === undefined && headers.accept?.includes('text/html') === true
}

const toDashboard: HttpReply = {
  status: 302,
  headers: [
    ['Location', '/-/'],
    ['Cache-Control', 'no-store'],
    ['Vary', 'Accept, Authorization'],
  ],
  facts: { operation: 'toDashboard' },
}

/** S3's words for what goes wrong below the protocols. */
const s3CodeOf = {
  malformed: 'BadRequest',
  'invalid-target': 'InvalidURI',
  'unknown-method': 'MethodNotAllowed',
  'unknown-coding': 'NotImplemented',
  'headers-too-large': 'RequestHeaderSectionTooLarge',
  'header-timeout': 'RequestTimeout',
  internal: 'InternalError',
} as const satisfies Record<Parameters<RenderFault>[0], S3ErrorCode>

/** What the owner is told of a fault, where S3's words do not say it. */
const reasonOf: Readonly<Partial<Record<Parameters<RenderFault>[0], string>>> = {
  malformed:
    'What came is no HTTP, or broken. A client that is set to https sends such to a port of plain http.',
  internal: 'Something failed in the service; its log says what.',
}

/** Issue: XML errors on every path, also on malformed HTTP where a response is possible. */
export const renderFault: RenderFault = (fault, requestId): HttpReply => {
  const error = new S3Error(s3CodeOf[fault])
  return {
    status: error.status,
    headers: [
      ['x-amz-request-id', requestId],
      ['Content-Type', 'application/xml'],
    ],
    body: errorDocument(error, '', requestId),
    facts: { code: error.code, reason: reasonOf[fault] ?? error.message },
  }
}
