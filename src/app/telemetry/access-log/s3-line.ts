import { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { Outcome } from '../../../platform/http/exchange.ts'
import type { HttpReply, HttpRequest } from '../../../platform/http/message.ts'
import { parseAddress } from '../../../storage/s3/address/address.ts'
import { parseQuery, refuseManyParameters } from '../../../storage/s3/address/query.ts'
import { declaredSize } from '../../../storage/s3/body/payload.ts'
import { compatibilityOf } from '../../../storage/s3/compatibility.ts'
import type { OperationRow } from '../../../storage/s3/context.ts'
import { detectOperation } from '../../../storage/s3/detect.ts'
import { type OperationName, operations } from '../../../storage/s3/operations.ts'
import { owner } from '../../../storage/s3/reply/xml.ts'
import {
  uriEncodePath,
  uriReencode,
  uriReencodePath,
} from '../../../storage/s3/sigv4/uri-encode.ts'
import { isVersionTwo } from '../../../storage/s3/sigv4/version-two.ts'
import { type RequestRecord, redactedQuery } from '../requests.ts'

/** Maximum length of a line that is written to a pipe atomically (PIPE_BUF, pipe(7)). */
const maxLine = 4_096

/** The longest legal bucket name. */
const maxBucket = 63
/** The longest legal key, 1,024 bytes, with each byte escaped. */
const maxKey = 3_072
const maxName = 128
const maxHeader = 512
/** Maximum lengths in a line that would otherwise be too long. */
const maxHeaderOfLongLine = 64

/**
 * The line of a request in the format of S3's server access log, with the fields in AWS's order
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html).
 *
 * The key is always complete if it is legal. If the line would be longer than 4,096 bytes, the
 * Request-URI is cut, and User-Agent and Referer if that is not enough.
 */
export function s3Line(record: RequestRecord): string {
  const { request, outcome } = record
  const line = (maxUri: number, maxText: number) =>
    [
      ...identityFields(record),
      requestUri(request, maxUri),
      ...outcomeFields(record),
      quoted(request.headers.referer, maxText),
      quotedWithSpaces(request.headers['user-agent'], maxText),
      ...securityFields(request, outcome),
    ].join(' ')
  const whole = line(maxLine, maxHeader)
  if (whole.length < maxLine) return `${whole}\n`
  const withoutUri = line(0, maxHeader).length
  // The first 64 bytes of the Request-URI matter more than the ends of the headers.
  const maxText = withoutUri + 64 < maxLine ? maxHeader : maxHeaderOfLongLine
  const maxUri = maxLine - 1 - line(0, maxText).length
  return `${line(Math.max(0, maxUri), maxText)}\n`
}

/** From Bucket Owner to Key. */
function identityFields({ request, outcome, clientAddress }: RequestRecord): string[] {
  const { operation, hostBucket } = outcome.logFields ?? {}
  const { method, rawQuery, headers } = request
  const rawPath = hostBucket === undefined ? request.rawPath : `/${hostBucket}${request.rawPath}`
  const { bucket, key } = namesOf(rawPath)
  const name = isS3Operation(operation) ? operation : undefined
  return [
    owner.ID,
    bucket,
    `[${clfTime(request.receivedAtMs)}]`,
    field(clientAddress, maxName),
    requester(outcome),
    field(request.id, maxName),
    awsOperation(name, { method, rawPath, rawQuery, headers }),
    name === 'PostObject' ? keyOf(outcome) : key,
  ]
}

/** From HTTP status to Turn-Around Time. */
function outcomeFields({ request, outcome, begun }: RequestRecord): string[] {
  const objectSize = begun && objectSizeOf(request, begun.reply)
  const { status, bytesSent, durationMs, logFields = {} } = outcome
  return [
    String(status),
    field(logFields.code?.toString(), maxName),
    bytesSent === 0 ? nothing : String(bytesSent),
    objectSize?.toString() ?? nothing,
    String(Math.round(durationMs)),
    begun === undefined ? nothing : String(Math.round(begun.turnAroundMs)),
  ]
}

/** The value of "Object Size" for reads and writes of bytes. Undefined for other requests. */
function objectSizeOf(request: HttpRequest, reply: HttpReply): number | undefined {
  const { operation } = reply.logFields ?? {}
  if (operation === 'GetObject' || operation === 'HeadObject') return sizeRead(reply)
  const isWrite = operation === 'PutObject' || operation === 'UploadPart'
  return isWrite && reply.status === 200 ? declaredSize(request) : undefined
}

function sizeRead({ status, headers, body }: HttpReply): number | undefined {
  if (status === 206) return numberBehind(/\/(\d+)$/, fieldOf(headers, 'content-range'))
  if (status !== 200) return undefined
  if (body !== undefined) return typeof body === 'string' ? Buffer.byteLength(body) : body.length
  return numberBehind(/^(\d+)$/, fieldOf(headers, 'content-length'))
}

function fieldOf(headers: HttpReply['headers'], name: string): string | undefined {
  return headers.find(([field]) => field.toLowerCase() === name)?.[1]
}

function numberBehind(pattern: RegExp, text = ''): number | undefined {
  const digits = pattern.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** From Version Id to the source Region. */
function securityFields(request: HttpRequest, outcome: Outcome): string[] {
  const { rawQuery, headers, body } = request
  const socket = body instanceof IncomingMessage ? body.socket : undefined
  const tls = socket instanceof TLSSocket ? socket : undefined
  const { operation, session } = outcome.logFields ?? {}
  // The signature of a form is in its body. The dashboard's session is not a signature.
  const signed = isSigned(outcome) && operation !== 'PostObject' && session !== true
  const signatureVersion = isVersionTwo(request) ? 'SigV2' : 'SigV4'
  const authentication = headers.authorization === undefined ? 'QueryString' : 'AuthHeader'
  return [
    field(/(?:^|&)versionId=([^&]*)/.exec(rawQuery)?.[1], maxHeaderOfLongLine),
    nothing, // Host Id: replies have no x-amz-id-2.
    signed ? signatureVersion : nothing,
    field(tls?.getCipher()?.name, maxName),
    signed ? authentication : nothing,
    field(headers.host, maxName),
    field(tls?.getProtocol() ?? undefined, maxName),
    nothing, // Access Point ARN
    nothing, // aclRequired
    nothing, // Source Region
  ]
}

/** Before its operation is known, a request has not been authenticated. */
function isSigned({ logFields = {} }: Outcome): boolean {
  return logFields.operation !== undefined && logFields.anonymous !== true
}

function requester(outcome: Outcome): string {
  if (!isSigned(outcome)) return nothing
  const { accessKey } = outcome.logFields ?? {}
  return accessKey === undefined ? owner.ID : field(String(accessKey), maxName)
}

/** The key of a form, whose path has none. */
function keyOf({ logFields }: Outcome): string {
  const bytes = Buffer.from(String(logFields?.key ?? '')).toString('latin1')
  return field(uriEncodePath(bytes), maxKey)
}

function namesOf(rawPath: string): { readonly bucket: string; readonly key: string } {
  const slash = rawPath.indexOf('/', 1)
  const rawBucket = slash < 0 ? rawPath.slice(1) : rawPath.slice(1, slash)
  const rawKey = slash < 0 ? '' : rawPath.slice(slash + 1)
  return {
    bucket: rawBucket === '' ? nothing : cut(uriReencode(rawBucket), maxBucket),
    key: rawKey === '' ? nothing : cut(uriReencodePath(rawKey), maxKey),
  }
}

function requestUri({ method, rawPath, rawQuery, body }: HttpRequest, maxLength: number): string {
  const version = body instanceof IncomingMessage ? body.httpVersion : '1.1'
  const target = rawQuery === '' ? rawPath : `${rawPath}?${redactedQuery(rawQuery)}`
  return `"${method} ${field(target, maxLength)} HTTP/${version}"`
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
let lastTime = { second: Number.NaN, text: '' }

/** `%d/%b/%Y:%H:%M:%S %z` in UTC, formatted only once for all lines of a second. */
function clfTime(atMs: number): string {
  const second = Math.floor(atMs / 1_000)
  if (second !== lastTime.second) {
    const [date = '', time = ''] = new Date(second * 1_000).toISOString().split(/[T.]/)
    const [year, month, day] = date.split('-')
    const text = `${day}/${months[Number(month) - 1]}/${year}:${time} +0000`
    lastTime = { second, text }
  }
  return lastTime.text
}

/** Stands for a value that is unknown or does not apply (AWS, "Amazon S3 server access log format"). */
const nothing = '-'

/**
 * Characters of client text that are safe in a log line. Readers of the format split at spaces and quotes, and AWS
 * describes no escapes for them, so characters that could end a field or a line are percent-encoded.
 */
const plain = /^[!#-[\]-~]+$/
const plainWithSpaces = /^[ !#-[\]-~]+$/

/** A field without quotes. `text` is latin1: one character per byte. */
function field(text: string | undefined, maxLength: number): string {
  if (text === undefined || text === '') return nothing
  return cut(plain.test(text) ? text : escaped(text, plain), maxLength)
}

/** A field in quotes that may have spaces. */
function quotedWithSpaces(text: string | undefined, maxLength: number): string {
  if (text === undefined || text === '') return `"${nothing}"`
  return `"${cut(plainWithSpaces.test(text) ? text : escaped(text, plainWithSpaces), maxLength)}"`
}

/** A field in quotes without spaces: Athena's expression for Referer ends at the first one. */
function quoted(text: string | undefined, maxLength: number): string {
  return `"${field(text, maxLength)}"`
}

/** The text, or its beginning and `...`. */
function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, Math.max(0, maxLength - 3))}...`
}

function escaped(text: string, kept: RegExp): string {
  return Array.from(text, (character) =>
    kept.test(character)
      ? character
      : Array.from(Buffer.from(character, 'latin1'), percentEncoded).join(''),
  ).join('')
}

function percentEncoded(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}

const resources = { service: 'SERVICE', bucket: 'BUCKET', object: 'OBJECT' } as const

export function isS3Operation(name: unknown): name is OperationName {
  return typeof name === 'string' && Object.hasOwn(operations, name)
}

/** The parts of a request that determine its operation. */
type Asked = Pick<HttpRequest, 'method' | 'rawPath' | 'rawQuery' | 'headers'>

/**
 * AWS's name for the operation of a request.
 *
 * @param name undefined when the request was rejected before its operation was detected: the result is then
 *   the operation that the request asked for, as in AWS.
 */
export function awsOperation(name: OperationName | undefined, request: Asked): string {
  const known = name ?? requestedOperation(request)
  if (known === undefined) return generalName(request)
  const { logName }: OperationRow = operations[known]
  return typeof logName === 'string' ? logName : logName(parseQuery(request.rawQuery))
}

function requestedOperation({ method, rawPath, rawQuery, headers }: Asked) {
  if (method === 'OPTIONS') return undefined
  try {
    refuseManyParameters(rawQuery)
    const query = parseQuery(rawQuery)
    const allowed = {
      ...({ bucketCreation: 'on', acls: 'ignore', serverSideEncryption: 'claim' } as const),
      hasWebsites: true,
      compatibility: compatibilityOf.aws,
    }
    // A form gets its name when its body is read.
    const asked = { method, query, headers, isForm: false, ...allowed }
    return detectOperation(parseAddress(rawPath).level, asked)
  } catch {
    // Not an S3 operation, or not one that Bucketry supports.
    return undefined
  }
}

function generalName({ method, rawPath }: Asked): string {
  if (method === 'OPTIONS') return 'REST.OPTIONS.PREFLIGHT'
  return `REST.${method}.${resources[levelOf(rawPath)]}`
}

function levelOf(rawPath: string): keyof typeof resources {
  try {
    return parseAddress(rawPath).level
  } catch {
    return rawPath.indexOf('/', 1) < 0 ? 'bucket' : 'object'
  }
}
