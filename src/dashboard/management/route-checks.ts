import type { HttpRequest } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import type { Buckets } from '../../storage/buckets/buckets.ts'
import type { DriveError } from '../../storage/drives/drive-error.ts'
import type { ManagementApiParts } from './management-parts.ts'

const namesShown = 10

/** @throws ApiError 400 naming the field if there is no such bucket. */
export function assertBucket(buckets: Buckets, bucket: string): void {
  if (buckets.find(bucket) !== undefined) return
  const names = buckets.all().map(({ name }) => name)
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : ''
  const shown = names.slice(0, namesShown).join(', ')
  throw new ApiError(400, `Expected one of the buckets ${shown}${more}.`, { field: 'bucket' })
}

/** @throws ApiError 400 if the request does not contain a valid host. */
export function originOfRequest(
  { originOf }: Pick<ManagementApiParts, 'originOf'>,
  request: HttpRequest,
): string {
  const origin = originOf(request)
  if (origin !== undefined) return origin
  throw new ApiError(400, 'The Host header of the request is not a valid host name.', {
    field: 'host',
  })
}

/** The reply when a listing fails. */
export function driveIsAway(cause: DriveError): ApiError {
  return new ApiError(503, 'The drive does not respond. Try again later.', { cause })
}

/** The reply for a bucket in the path that does not exist. */
export function noBucket(): ApiError {
  return new ApiError(404, 'The bucket does not exist.')
}

/** ISO 8601 in UTC. */
export function timeOf(atMs: number): string {
  return new Date(atMs).toISOString()
}

export function timeOrNull(atMs: number | undefined): string | null {
  return atMs === undefined ? null : timeOf(atMs)
}
