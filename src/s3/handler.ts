import type { HttpHandler, HttpReply, HttpRequest } from '../http/message.ts'
import { type Address, decodeKey, parseAddress } from './address/address.ts'
import { quoted, shortened } from './address/client-text.ts'
import {
  type BucketOperation,
  detectOperation,
  type ObjectOperation,
  type OperationName,
  refuseUnknownMethod,
  type ServiceOperation,
} from './address/detect.ts'
import { parseQuery, refuseManyParameters } from './address/query.ts'
import { virtualHostReason } from './address/virtual-host.ts'
import type { S3Service, ServiceContext } from './context.ts'
import { invalidArgument, S3Error } from './errors.ts'
import { answerPreflight, corsHeaders } from './headers/cors.ts'
import { addHoistedHeaders } from './headers/hoisted-headers.ts'
import { type Access, bucketOperations, objectOperations, serviceOperations } from './operations.ts'
import { renderError } from './reply/render-error.ts'
import { authenticate, type SignatureMismatch } from './sigv4/authenticate.ts'

/** What is known about a request so far, for its log line. */
type LogContext = {
  operation?: OperationName
  bucket?: string
  key?: string
  anonymous?: boolean
}

/**
 * The S3 protocol as one function: address → authenticate → bucket → detect → authorize → run, and
 * every error rendered at one exit. docs/architecture.md draws it.
 */
export function createS3Handler(service: S3Service): HttpHandler {
  const allowedOrigins = service.settings.corsAllowedOrigins
  return async function handleS3(request) {
    const logContext: LogContext = {}
    const complete = (reply: HttpReply): HttpReply => ({
      status: reply.status,
      headers: [
        ['x-amz-request-id', request.id],
        ...reply.headers,
        ...corsHeaders(request, reply, allowedOrigins),
      ],
      body: reply.body,
      logFields: reply.logFields === undefined ? logContext : { ...logContext, ...reply.logFields },
    })
    try {
      return complete(await answer(service, request, logContext))
    } catch (error) {
      if (logContext.key === undefined) nameKey(logContext, request.rawPath)
      const refusal = complete(renderError(error, request, service.log))
      return explained(refusal, logContext, { request, settings: service.settings })
    }
  }
}

/** Adds a reason for the owner when the bucket was expected in the path but is in the host name. */
function explained(
  reply: HttpReply,
  logContext: LogContext,
  { request, settings }: { request: HttpRequest; settings: S3Service['settings'] },
): HttpReply {
  if (logContext.bucket !== undefined && settings.allowedBuckets.includes(logContext.bucket))
    return reply
  const reason = virtualHostReason(request.headers, settings)
  if (reason === undefined) return reply
  return { ...reply, logFields: { ...reply.logFields, virtualHost: true, reason } }
}

/** The key of a request that failed before its key was decoded, if it has one. */
function nameKey(logContext: LogContext, rawPath: string): void {
  try {
    const address = parseAddress(rawPath)
    if (address.level === 'object') logContext.key = shortened(decodeKey(address.rawKey))
  } catch {
    // Not a valid key; the client already gets an error that says so.
  }
}

/** Not async: for a small reply, each promise costs a noticeable part of the total time. */
function answer(
  service: S3Service,
  request: HttpRequest,
  logContext: LogContext,
): Promise<HttpReply> | HttpReply {
  const { settings, log } = service
  refuseUnknownMethod(request.method)
  if (request.method === 'OPTIONS') return answerPreflight(request, settings.corsAllowedOrigins)

  const address = parseAddress(request.rawPath)
  if (address.level !== 'service') logContext.bucket = shortened(address.bucket)
  refuseManyParameters(request.rawQuery)
  const onMismatch = log.isLevelEnabled('debug')
    ? (details: SignatureMismatch) =>
        log.debug({ requestId: request.id, ...details }, 'signature does not match')
    : undefined
  const authentication = authenticate(request, settings, service.now(), onMismatch)
  if (authentication === 'unsigned') logContext.anonymous = true
  if (address.level !== 'service' && !settings.allowedBuckets.includes(address.bucket)) {
    // Access is denied, where AWS answers NoSuchBucket
    // (docs/contract/object-storage.md, "Error codes").
    throw new S3Error(
      'AccessDenied',
      `Access to the bucket ${quoted(address.bucket)} is not allowed.`,
      { reason: `ALLOWED_BUCKETS does not list the bucket ${quoted(address.bucket)}.` },
    )
  }

  const query = parseQuery(request.rawQuery)
  const { method, headers } = request
  if (authentication === 'presigned') {
    // Verified: from here on they are headers like any other.
    addHoistedHeaders(headers, query)
  }
  const name = detectOperation(address.level, { method, query, headers })
  logContext.operation = name
  const isSigned = authentication !== 'unsigned'
  const context: ServiceContext = { service, request, query, isSigned }
  return run(name, address, context, logContext)
}

function run(
  name: OperationName,
  address: Address,
  context: ServiceContext,
  logContext: LogContext,
): Promise<HttpReply> {
  if (address.level === 'service') {
    const { access, handle } = serviceOperations[name as ServiceOperation]
    authorize(access, context)
    return handle(context)
  }
  const { bucket } = address
  const { service, request, query, isSigned } = context
  if (address.level === 'bucket') {
    const { access, handle } = bucketOperations[name as BucketOperation]
    authorize(access, context, bucket)
    return handle({ service, request, query, isSigned, bucket })
  }
  const { access, handle } = objectOperations[name as ObjectOperation]
  authorize(access, context, bucket)
  const key = decodeKey(address.rawKey)
  logContext.key = shortened(key)
  refuseVersions(context)
  return handle({ service, request, query, isSigned, bucket, key })
}

/**
 * Only reads of public buckets may be unsigned (docs/contract/object-storage.md, "Public buckets").
 */
function authorize(access: Access, { isSigned, service }: ServiceContext, bucket = ''): void {
  if (isSigned) return
  const { publicReadBuckets, publicList } = service.settings
  if (access === 'signed' || !publicReadBuckets.has(bucket)) {
    throw new S3Error(
      'AccessDenied',
      'Access Denied: this request must be signed (AWS4-HMAC-SHA256).',
    )
  }
  if (access === 'public-list' && !publicList) {
    throw new S3Error(
      'AccessDenied',
      'Access Denied: listing this bucket requires a signed request.',
    )
  }
}

/**
 * There are no versions: `null` names the only one (AWS, "Working with objects in a
 * versioning-suspended bucket"). Any other id must not be taken for the current object.
 */
function refuseVersions({ query }: ServiceContext): void {
  const versionId = query.get('versionId')
  if (versionId !== undefined && versionId !== 'null') {
    throw invalidArgument(
      'versionId',
      versionId,
      'Invalid version id specified: objects here have no versions.',
    )
  }
}
