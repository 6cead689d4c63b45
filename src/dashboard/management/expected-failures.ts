import type { HttpReply, HttpRequest } from '../../platform/http/message.ts'
import type { Buckets } from '../../storage/buckets/buckets.ts'

interface AnsweredRequest {
  readonly method: string
  readonly status: number
  readonly logFields: HttpReply['logFields']
}

/**
 * Statuses of normal operation: clients routinely look for missing objects, read beyond the end and
 * use conditional writes.
 */
export const expectedStatuses: ReadonlySet<number> = new Set([404, 412, 416])

/** Codes that are not normal operation: a client expects its upload and its bucket to exist. */
const tellingCodes: ReadonlySet<string> = new Set(['NoSuchBucket', 'NoSuchUpload'])

/**
 * Outside of an operation, these are idle connections: preconnections of browsers, or connections
 * that ended within the header section.
 */
const idleCodes: ReadonlySet<string> = new Set(['RequestTimeout', 'IncompleteBody'])

/** A 401 of any other operation is an expired session, which the dashboard detects by a request. */
const login = 'login'

/**
 * The query parameter that the dashboard adds to the URLs that it presigns for itself
 * (web/src/files/s3/bucket-client.ts). S3 ignores it.
 */
const ownMark = 'x-id=Dashboard'

/**
 * Whether a request comes from the dashboard, which shows its failures itself. The mark counts only in a request
 * signed with ACCESS_KEY, as the dashboard's are; otherwise the holder of another access key could hide failures
 * with it.
 */
export function isOwnRequest(
  { rawPath, rawQuery }: Pick<HttpRequest, 'rawPath' | 'rawQuery'>,
  logFields: HttpReply['logFields'] = {},
): boolean {
  if (logFields.operation === login) return false
  const isKey = logFields.hostBucket !== undefined
  if (!isKey && /^\/(?:-\/(?!healthz)|auth\/)/.test(rawPath)) return true
  const { operation, anonymous, accessKey, session } = logFields
  if (session === true) return true
  const isOwners = operation !== undefined && anonymous !== true && accessKey === undefined
  return isOwners && rawQuery.split('&').includes(ownMark)
}

/**
 * Whether a failure is part of normal operation and would only hide relevant ones
 * (docs/management-api.md).
 */
export function isExpectedFailure(
  { method, status, logFields = {} }: AnsweredRequest,
  buckets: Pick<Buckets, 'find'>,
): boolean {
  if (status === 401) return logFields.operation !== login
  if (idleCodes.has(String(logFields.code))) return logFields.operation === undefined
  // HeadBucket before CreateBucket.
  if (status === 404 && method === 'HEAD') return true
  if (expectedStatuses.has(status)) return !tellingCodes.has(String(logFields.code))
  // Ignores scanners, and browsers that request /favicon.ico.
  const { anonymous, bucket, virtualHost } = logFields
  if (virtualHost === true) return false
  return anonymous === true && bucket !== undefined && buckets.find(String(bucket)) === undefined
}
