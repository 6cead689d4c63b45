import { faviconPath } from '../../dashboard/web-app/web-app.ts'
import { callPaths } from '../../models/calls/call-paths.ts'
import { modelsErrorFormats } from '../../models/list/models-error-format.ts'
import type { RenderFault } from '../../platform/http/fault.ts'
import type {
  HttpHandler,
  HttpReply,
  HttpRequest,
  PendingReply,
} from '../../platform/http/message.ts'
import { ApiError, errorFormatOf } from '../../platform/json-api/api-error.ts'
import type { Buckets } from '../../storage/buckets/buckets.ts'
import { bucketOfHost, type VirtualHosts, websiteOfHost } from '../../storage/s3/address/address.ts'
import type { Compatibility } from '../../storage/s3/compatibility.ts'
import { insteadOfReplication } from '../../storage/s3/detect.ts'
import { S3Error, type S3ErrorCode } from '../../storage/s3/errors.ts'
import { errorDocument } from '../../storage/s3/reply/render-error.ts'
import type { WebsiteHandler } from '../../storage/s3/website/serve-website.ts'
import { json } from './health.ts'

export interface GatewayParts {
  /** Serves all other paths, and all paths if the host name contains a bucket. */
  readonly s3: (request: HttpRequest, hostBucket?: string) => PendingReply
  /** Serves all paths if the host name is that of a website. */
  readonly websites: WebsiteHandler
  readonly health: HttpHandler
  readonly liveness: HttpHandler
  readonly readiness: HttpHandler
  readonly metrics: HttpHandler
  /** The login, the model list and the management API. */
  readonly json: HttpHandler
  /** The dashboard's pages. */
  readonly web: HttpHandler
  /** The pages and files of shares. */
  readonly shares: HttpHandler
  /** S3 serves every other path, and also the paths of a route with `unlessBucket` if a bucket has that name. */
  readonly buckets: Pick<Buckets, 'find'>
  readonly compatibility: Pick<Compatibility, 'minioHealth'>
  readonly virtualHosts: VirtualHosts
}

export type Part = Exclude<
  keyof GatewayParts,
  'buckets' | 'compatibility' | 'virtualHosts' | 'websites'
>

/** A route in the URL space: only the path itself, or also everything below it. */
interface Route {
  readonly path: string
  readonly isWhole: boolean
  readonly part: Exclude<Part, 's3'> | 'minioAdmin'
  /** A bucket of this name takes precedence. Methods other than GET and HEAD are S3's, unless `isForAllMethods`. */
  readonly unlessBucket?: string
  readonly isForAllMethods?: true
}

const routes: readonly Route[] = [
  { path: '/-/healthz', isWhole: false, part: 'health' },
  { path: '/-/livez', isWhole: false, part: 'liveness' },
  { path: '/-/readyz', isWhole: false, part: 'readiness' },
  { path: '/-/metrics', isWhole: true, part: 'metrics' },
  { path: '/-/api', isWhole: false, part: 'json' },
  { path: '/-/openapi.json', isWhole: true, part: 'json' },
  { path: '/-/s', isWhole: false, part: 'shares' },
  { path: '/-', isWhole: false, part: 'web' },
  { path: '/auth', isWhole: false, part: 'json' },
  { path: '/v1', isWhole: false, part: 'json' },
  // No bucket has a name of two letters (AWS, "General purpose bucket naming rules").
  { path: '/ai', isWhole: false, part: 'json' },
  { path: faviconPath, isWhole: true, part: 'web', unlessBucket: faviconPath.slice(1) },
]

const minioBucket = 'minio'

/** The operation, in logs and metrics, of a probe whose path does not show that it is one. */
export const probeOperation = 'probe'

/** The paths that compose files and scrapers written for MinIO request. */
const minioRoutes: readonly Route[] = [
  ...(
    [
      ['/minio/health/live', 'liveness'],
      ['/minio/health/ready', 'readiness'],
      ['/minio/health/cluster', 'readiness'],
      ['/minio/health/cluster/read', 'readiness'],
      ['/minio/v2/metrics/cluster', 'metrics'],
    ] as const
  ).map(([path, part]) => ({ path, part, isWhole: true, unlessBucket: minioBucket })),
  {
    ...{ path: '/minio/admin', part: 'minioAdmin', isWhole: false },
    ...{ unlessBucket: minioBucket, isForAllMethods: true },
  },
]

/** The reply to `mc admin`, `mc quota` and `mc replicate`, in the format of MinIO's errors. */
function noMinioAdmin(rawPath: string): HttpReply {
  // Paths of `mc replicate` and `mc admin replicate`, such as /v3/set-remote-target and /v3/site-replication/add.
  const isReplication = /remote-target|replication/.test(rawPath)
  const Message = isReplication
    ? `Buckets are not replicated from here. ${insteadOfReplication}`
    : 'There is no admin API of MinIO here: instead of mc admin and mc quota, use the dashboard at /-/, the command bucketry keys, the management API at /-/api, or ACCESS_KEYS_FILE for keys as code (docs/moving-in.md, "mc admin").'
  return json(501, { Code: 'NotImplemented', Message })
}

/** Names the operation: otherwise logs and metrics would count the path as that of an object. */
async function asProbe(answered: PendingReply): Promise<HttpReply> {
  const reply = await answered
  return { ...reply, logFields: { ...reply.logFields, operation: probeOperation } }
}

/**
 * The URL space of docs/architecture.md as one handler, without port or environment. Each protocol is a
 * row of its table; all other paths are S3's.
 */
export function createGateway({
  buckets,
  compatibility,
  virtualHosts,
  websites,
  ...parts
}: GatewayParts): HttpHandler {
  const own = compatibility.minioHealth ? [...routes, ...minioRoutes] : routes
  // Every path is a key. The dashboard must not share an origin with objects.
  const byHost = (request: HttpRequest) => {
    const website = websiteOfHost(request.headers.host, virtualHosts)
    if (website !== undefined) return websites(request, website)
    const hostBucket = bucketOfHost(request.headers.host, virtualHosts)
    return hostBucket === undefined ? undefined : parts.s3(request, hostBucket)
  }
  return (request) => {
    const answered = byHost(request)
    if (answered !== undefined) return answered
    const direct = directReply(request)
    if (direct !== undefined) return direct
    const { rawPath, method } = request
    const isRead = method === 'GET' || method === 'HEAD'
    const route = own.find((one) => matches(one, rawPath))
    const { part = 's3', unlessBucket, isForAllMethods = isRead } = route ?? {}
    const isOwn = unlessBucket === undefined || buckets.find(unlessBucket) === undefined
    if (!isOwn || !(isForAllMethods || unlessBucket === undefined)) return parts.s3(request)
    const reply = part === 'minioAdmin' ? noMinioAdmin(rawPath) : parts[part](request)
    return unlessBucket === minioBucket ? asProbe(reply) : reply
  }
}

/** The part of the gateway that serves a path if no bucket has its name. MinIO's probes name their own operation. */
export function partOf(rawPath: string): Part {
  const part = routes.find((route) => matches(route, rawPath))?.part
  return part === undefined || part === 'minioAdmin' ? 's3' : part
}

function matches({ path, isWhole }: Route, rawPath: string): boolean {
  if (!rawPath.startsWith(path)) return false
  return rawPath.length === path.length || (!isWhole && rawPath[path.length] === '/')
}

/** Whether a person opened the address in a browser, unsigned. S3 clients request `/` to list the buckets. */
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
  logFields: { operation: 'toDashboard' },
}

/** The reply to a request that no protocol has to see. */
function directReply(request: HttpRequest): HttpReply | undefined {
  return isVisit(request) ? toDashboard : misplacedCall(request)
}

/**
 * The reply to a call of a model whose base URL has no /v1. S3 has no such request, and denies the credentials of model
 * clients (docs/contract/object-storage.md, "Authentication"): only the message differs.
 */
function misplacedCall({
  id,
  method,
  rawPath,
  rawQuery,
  headers,
}: HttpRequest): HttpReply | undefined {
  if (method !== 'POST' || rawQuery !== '') return undefined
  if (!callPaths.some(({ path }) => path === rawPath)) return undefined
  const hasKey = headers['x-api-key'] !== undefined || /^bearer /i.test(headers.authorization ?? '')
  if (!hasKey || headers['content-type']?.startsWith('application/json') !== true) return undefined
  const reason = `Models are called at /v1${rawPath}. The base URL of OpenAI's SDKs ends in /v1; that of Anthropic's SDKs and of Claude Code has no path.`
  const error = new S3Error('AccessDenied', reason)
  return s3Refusal(error, { requestId: id, resource: rawPath, reason })
}

type Fault = Parameters<RenderFault>[0]

/** S3's codes for failures below the protocols. */
const s3CodeOf = {
  malformed: 'BadRequest',
  'cut-off': 'IncompleteBody',
  'tls-on-http-port': 'BadRequest',
  'http-on-tls-port': 'BadRequest',
  'invalid-target': 'InvalidURI',
  'unknown-method': 'MethodNotAllowed',
  'unknown-coding': 'NotImplemented',
  'headers-too-large': 'RequestHeaderSectionTooLarge',
  'header-timeout': 'RequestTimeout',
  internal: 'InternalError',
} as const satisfies Record<Fault, S3ErrorCode>

/** Messages for the client where S3's own message is too general. */
const messageOf: Readonly<Partial<Record<Fault, string>>> = {
  'cut-off': 'The connection ended before the complete request had arrived.',
  'tls-on-http-port':
    'This port speaks plain HTTP, but the client sent a TLS handshake. Use an http:// address, or set TLS_CERT and TLS_KEY.',
  'http-on-tls-port':
    'This port speaks HTTPS, but the client sent plain HTTP. Use an https:// address.',
}

/** Messages for the owner where the client's message is too general. */
const reasonOf: Readonly<Partial<Record<Fault, string>>> = {
  malformed: 'Not a valid HTTP request.',
  internal: 'Internal error; see the log of the service.',
}

/** S3 clients parse every error as XML, so the reply to a request that is not valid HTTP is also XML. */
export const renderFault: RenderFault = (fault, requestId): HttpReply => {
  const error = new S3Error(s3CodeOf[fault], messageOf[fault])
  return s3Refusal(error, { requestId, resource: '', reason: reasonOf[fault] ?? error.message })
}

const overloadMessage = 'The server has reached its connection limit. Try again later.'
const retryAfter = ['Retry-After', '1'] as const

/** Refuses a connection beyond the limit in the error format of the path's protocol. */
export const refuseExtra: HttpHandler = async ({ id, rawPath, headers }) => {
  if (partOf(rawPath) === 's3') {
    const error = new S3Error('SlowDown', overloadMessage)
    const reply = s3Refusal(error, { requestId: id, resource: rawPath, reason: overloadMessage })
    return { ...reply, headers: [...reply.headers, retryAfter] }
  }
  const errorFormat = errorFormatOf(modelsErrorFormats, rawPath, headers)
  return {
    status: 503,
    headers: [
      ['x-request-id', id],
      ['Content-Type', 'application/json; charset=utf-8'],
      ...Object.entries(errorFormat.headers ?? {}),
      retryAfter,
    ],
    body: JSON.stringify(errorFormat.errorBody(new ApiError(503, overloadMessage))),
    logFields: { reason: overloadMessage },
  }
}

interface S3RefusalOptions {
  readonly requestId: string
  readonly resource: string
  readonly reason: string
}

function s3Refusal(error: S3Error, { requestId, resource, reason }: S3RefusalOptions): HttpReply {
  return {
    status: error.status,
    headers: [
      ['x-amz-request-id', requestId],
      ['Content-Type', 'application/xml'],
    ],
    body: errorDocument(error, resource, requestId),
    logFields: { code: error.code, reason },
  }
}
