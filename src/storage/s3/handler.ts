import type { HttpReply, HttpRequest, PendingReply } from '../../platform/http/message.ts'
import { canSeeBucket } from '../access/authorize.ts'
import { type RequestLimit, RequestRate } from '../access/request-rate.ts'
import type { BucketConfiguration } from '../buckets/buckets.ts'
import { type EventContext, withEventContext } from '../events/event-context.ts'
import {
  afterRemoval,
  authorize,
  hideAbsence,
  identify,
  identifyForm,
  identifyKey,
  mayLearnOfAbsence,
  unsignedRefusal,
  visibleBucket,
} from './access.ts'
import { type Address, addressOf, decodeKey, virtualHostReason } from './address/address.ts'
import { parseQuery, refuseManyParameters } from './address/query.ts'
import { verifyWhenRead } from './body/signed-body.ts'
import { hasPolicyInForce, refuseBeyondPolicy } from './configuration/public-access.ts'
import type { BucketContext, OperationRow, S3Service, ServiceContext } from './context.ts'
import { detectOperation, refuseUnknownMethod } from './detect.ts'
import { invalidArgument, noSuchBucket, shortened } from './errors.ts'
import { formOf, isForm, rawKeyOf, requestOfForm } from './form/form-upload.ts'
import { readForm } from './form/read-form.ts'
import { answerPreflight, corsHeaders } from './headers/cors.ts'
import { withEncryption } from './headers/encryption.ts'
import { addHoistedHeaders, removeEmptyHeaders } from './headers/request-fields.ts'
import { type OperationName, operations } from './operations.ts'
import { renderError } from './reply/render-error.ts'
import { owner } from './reply/xml.ts'
import type { Authentication } from './sigv4/authenticate.ts'
import { versionToUse } from './versions.ts'
import { failOnce } from './write-once.ts'

interface HandlerParts {
  readonly service: S3Service
  readonly request: HttpRequest
  readonly rate: RequestLimit
  /** The access key on whose behalf the gateway itself makes the request. Absent for a client's request. */
  readonly accessKeyId?: string
  /** The bucket that the host name contains. */
  readonly hostBucket?: string | undefined
}

/** The known facts about a request, for its log line. */
type LogContext = {
  operation?: OperationName
  bucket?: string
  /** The bucket, if the host name contains it. */
  hostBucket?: string
  key?: string
  anonymous?: boolean
  /** Name of the access key, unless it is the owner's. */
  accessKey?: string
  /** The request has a session of the dashboard. */
  session?: boolean
}

/** Answers S3 requests. `hostBucket` is the bucket that the host name contains (`bucketOfHost`). */
export type S3Handler = (request: HttpRequest, hostBucket?: string) => PendingReply

/**
 * The S3 protocol as one function: address → authenticate → bucket → detect → authorize → run, and every error
 * rendered at one exit. docs/architecture.md has a diagram.
 */
export function createS3Handler(
  service: S3Service,
  rate: RequestLimit = new RequestRate(),
): S3Handler {
  return (request, hostBucket) => handleS3({ service, request, rate, hostBucket })
}

/**
 * Answers a request that the gateway makes itself, with the current rights of the access key. The request is not
 * signed and does not count toward the limit of the key.
 */
export type KeyHandler = (accessKeyId: string, request: HttpRequest) => Promise<HttpReply>

/** As `createS3Handler`, on behalf of access keys. */
export function createKeyHandler(service: S3Service): KeyHandler {
  const rate = { take: () => 0 }
  return async (accessKeyId, request) => handleS3({ service, request, rate, accessKeyId })
}

/** Not async: a reply that is ready needs no promise. */
function handleS3(parts: HandlerParts): PendingReply {
  const logContext: LogContext = {}
  try {
    const answered = answer(parts, logContext)
    if (!(answered instanceof Promise)) return complete(answered, parts, logContext)
    return answered
      .then((reply) => complete(reply, parts, logContext))
      .catch((error: unknown) => refuse(error, parts, logContext))
  } catch (error) {
    return refuse(error, parts, logContext)
  }
}

/** Adds to a reply what all replies have. */
function complete(
  answered: HttpReply,
  { service, request, hostBucket }: HandlerParts,
  logContext: LogContext,
): HttpReply {
  const { operation, bucket } = logContext
  const reply = withEncryption(answered, service.settings.serverSideEncryption, operation)
  return {
    status: reply.status,
    headers: [
      ['x-amz-request-id', request.id],
      ...reply.headers,
      ...corsHeaders(request, reply, service, { bucket, hostBucket }),
    ],
    body: reply.body,
    logFields: reply.logFields === undefined ? logContext : { ...logContext, ...reply.logFields },
  }
}

/** The reply to a request that failed. */
async function refuse(
  error: unknown,
  parts: HandlerParts,
  logContext: LogContext,
): Promise<HttpReply> {
  const { service, request, hostBucket } = parts
  if (logContext.key === undefined) nameKey(logContext, request, hostBucket)
  const shown = await afterRemoval(error, logContext.bucket, service)
  const refusal = complete(renderError(shown, request, service), parts, logContext)
  return explained(refusal, logContext, { request, service })
}

/**
 * Adds a reason for the owner if the client puts the bucket into the host name and the gateway expects it in the path.
 */
function explained(
  reply: HttpReply,
  logContext: LogContext,
  { request, service }: { request: HttpRequest; service: S3Service },
): HttpReply {
  if (logContext.bucket !== undefined && service.buckets.find(logContext.bucket)) return reply
  const reason = virtualHostReason(request.headers, service)
  if (reason === undefined) return reply
  return { ...reply, logFields: { ...reply.logFields, virtualHost: true, reason } }
}

/** Logs the key of a request that failed before the key was decoded. */
function nameKey(
  logContext: LogContext,
  request: HttpRequest,
  hostBucket: string | undefined,
): void {
  try {
    const address = addressOf(request, hostBucket)
    if (address.level === 'object') logContext.key = shortened(decodeKey(address.rawKey))
  } catch {
    // The key is not valid, and the error reply says so.
  }
}

function answer(parts: HandlerParts, logContext: LogContext): PendingReply {
  refuseUnknownMethod(parts.request.method)
  const refreshing = parts.service.cached?.ensureFresh()
  if (refreshing === undefined) return answerNow(parts, logContext)
  return refreshing.then(() => answerNow(parts, logContext))
}

function answerNow(parts: HandlerParts, logContext: LogContext): PendingReply {
  const { service, request, hostBucket, accessKeyId } = parts
  if (request.method === 'OPTIONS') return answerPreflight(request, service, hostBucket)

  if (hostBucket !== undefined) logContext.hostBucket = shortened(hostBucket)
  const address = addressOf(request, hostBucket)
  if (address.level !== 'service') logContext.bucket = shortened(address.bucket)
  refuseManyParameters(request.rawQuery)
  const authentication =
    accessKeyId === undefined ? identify(parts) : identifyKey(accessKeyId, service)
  if (!(authentication instanceof Promise)) {
    const isUnsigned = authentication.form === 'unsigned'
    if (isUnsigned && address.level === 'bucket' && isForm(request, address, service.compatibility))
      return answerForm(address.bucket, parts, logContext)
    return answerAs(authentication, address, parts, logContext)
  }
  return authentication.then((confirmed) => answerAs(confirmed, address, parts, logContext))
}

/**
 * The body of a form contains the signature and the key. Once the body is read, the form is handled as a request for
 * that key.
 */
async function answerForm(
  bucket: string,
  parts: HandlerParts,
  logContext: LogContext,
): Promise<HttpReply> {
  const { service, request } = parts
  logContext.operation = 'PostObject'
  // Until its signature has been verified.
  logContext.anonymous = true
  const form = await readForm(request)
  try {
    const key = form.fields.get('key') ?? ''
    if (key !== '') logContext.key = shortened(key)
    const authentication = await identifyForm(form, parts)
    delete logContext.anonymous
    const made = requestOfForm(form, request, bucket, service.now())
    const address = { level: 'object', bucket, rawKey: rawKeyOf(key) } as const
    return await answerAs(authentication, address, { ...parts, request: made }, logContext)
  } finally {
    form.close()
  }
}

function answerAs(
  authentication: Authentication,
  address: Address,
  parts: HandlerParts,
  logContext: LogContext,
): PendingReply {
  const { service } = parts
  const { form, identity } = authentication
  if (form === 'session') logContext.session = true
  if (identity.kind === 'anonymous') logContext.anonymous = true
  else parts.request.markKnown()
  if (identity.kind === 'key') logContext.accessKey = identity.name
  if (address.level === 'service') {
    return runFor(authentication, { address, configuration: undefined }, parts, logContext)
  }
  const found = service.buckets.find(address.bucket)
  // Only for senders who may see the bucket, so that strangers cannot make the gateway query the database.
  const looksAgain =
    found === undefined &&
    service.bucketCreation === 'on' &&
    canSeeBucket(identity, address.bucket) &&
    service.cached !== undefined
  if (!looksAgain) {
    const configuration = visibleBucket(service, identity, address.bucket)
    return runFor(authentication, { address, configuration }, parts, logContext)
  }
  return service.cached.lookAgain().then(() => {
    const configuration = service.buckets.find(address.bucket)
    return runFor(authentication, { address, configuration }, parts, logContext)
  })
}

/** Detects the operation and runs it. */
function runFor(
  { form, identity, body }: Authentication,
  target: Target,
  { service, request, hostBucket }: HandlerParts,
  logContext: LogContext,
): PendingReply {
  if (body !== undefined) verifyWhenRead(request, body)
  const query = parseQuery(request.rawQuery)
  const { method, headers } = request
  if (form === 'presigned' || form === 'version-two') {
    // The signature covers these parameters, so treat them as headers from here on.
    addHoistedHeaders(headers, query)
  }
  removeEmptyHeaders(headers)
  const { bucketCreation = 'off', compatibility } = service
  const name = detectOperation(target.address.level, {
    ...{ method, query, headers, bucketCreation, compatibility },
    acls: service.acls.mode,
    serverSideEncryption: service.settings.serverSideEncryption,
    hasWebsites: (service.settings.websiteDomains ?? []).length > 0,
    isForm: formOf(request) !== undefined,
  })
  logContext.operation = name
  const context: ServiceContext = { service, request, query, hostBucket, identity }
  const work = () => run(operations[name], target, context, logContext)
  const { notifyWebhook, notifyRedis } = service.settings
  if (notifyWebhook === undefined && notifyRedis === undefined) return work()
  return withEventContext(eventContextOf(name, context), work)
}

/** The facts about a request that events contain. */
function eventContextOf(name: OperationName, { identity, request }: ServiceContext): EventContext {
  const names = { owner: owner.ID, anonymous: 'Anonymous' } as const
  const created = createdBy[name]
  return {
    principalId: identity.kind === 'key' ? identity.accessKeyId : names[identity.kind],
    sourceIp: request.remoteAddress,
    requestId: request.id,
    ...(created && { created }),
  }
}

/** The event types of operations whose drive calls do not reveal them. */
const createdBy: { readonly [Name in OperationName]?: EventContext['created'] } = {
  CopyObject: 'ObjectCreated:Copy',
  PostObject: 'ObjectCreated:Post',
}

interface Target {
  readonly address: Address
  /** Absent if the address is the service itself, or a bucket that does not exist. */
  readonly configuration: BucketConfiguration | undefined
}

function run(
  operation: OperationRow,
  { address, configuration }: Target,
  context: ServiceContext,
  logContext: LogContext,
): PendingReply {
  const { query, identity } = context
  if (operation.level === 'service') {
    if (identity.kind === 'anonymous') throw unsignedRefusal()
    return operation.handle(context)
  }
  const bucket = address.level === 'service' ? '' : address.bucket
  const { access } = operation
  if (operation.level === 'newBucket') {
    const newBucket = { ...context, bucket, configuration }
    authorize(access, newBucket, '')
    return operation.handle(newBucket)
  }
  // Callers who must not learn that the bucket does not exist have already been refused.
  if (configuration === undefined) throw noSuchBucket(bucket)
  const bucketContext = { ...context, bucket, configuration }
  if (operation.level === 'bucket') {
    authorize(access, bucketContext, access.action === 'list' ? (query.get('prefix') ?? '') : '')
    return operation.handle(bucketContext)
  }
  // An unsigned request is refused before its key is decoded, unless a policy may open that key.
  if (identity.kind === 'anonymous' && !hasPolicyInForce(configuration))
    authorize(access, bucketContext, '')
  const key = decodeKey(address.level === 'object' ? address.rawKey : '')
  const allowedBy = authorize(access, bucketContext, key)
  logContext.key = shortened(key)
  if (allowedBy === 'policy') refuseBeyondPolicy(bucketContext, key)
  const versionId = requestedVersion(bucketContext, logContext.operation)
  const objectContext = { ...bucketContext, key, versionId, createsOnly: allowedBy === 'create' }
  if (allowedBy === 'right') return operation.handle(objectContext)
  const handling = (async () => operation.handle(objectContext))()
  return handling.catch((error: unknown) => {
    if (allowedBy === 'create') failOnce(error, objectContext)
    if (mayLearnOfAbsence(bucketContext, key)) throw error
    return hideAbsence(error)
  })
}

/** The operations with a `versionId` (API reference, the URI request parameters of each). */
const ofVersions: ReadonlySet<OperationName | undefined> = new Set<OperationName>([
  ...(['GetObject', 'HeadObject', 'GetObjectAttributes', 'DeleteObject'] as const),
  ...(['GetObjectTagging', 'PutObjectTagging', 'DeleteObjectTagging'] as const),
  ...(['GetObjectRetention', 'PutObjectRetention'] as const),
  ...(['GetObjectLegalHold', 'PutObjectLegalHold'] as const),
  ...(['GetObjectAcl', 'PutObjectAcl'] as const),
])

/** @throws S3Error InvalidArgument; another version must not be taken for the current one */
function requestedVersion(
  { service, query, configuration }: BucketContext,
  operation: OperationName | undefined,
): string | undefined {
  const requested = query.get('versionId')
  const versionId = versionToUse(service, configuration, requested)
  if (versionId === undefined || ofVersions.has(operation)) return versionId
  const message = 'This operation does not accept a version-id.'
  throw invalidArgument('versionId', versionId, message)
}
