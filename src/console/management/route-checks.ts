import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../json-api/api-error.ts'
import { sourceOf } from '../../json-api/entry.ts'
import type { BucketInfo, ManagementApiParts } from './management-parts.ts'

/** @throws ApiError 400 naming the field if the bucket is not in ALLOWED_BUCKETS. */
export function assertBucket({ names }: BucketInfo, bucket: string): void {
  if (names.includes(bucket)) return
  throw new ApiError(400, `Expected one of the buckets ${names.join(', ')}.`, { field: 'bucket' })
}

/** @throws ApiError 400 if the request does not contain a valid host. */
export function originOfRequest(
  { originOf }: Pick<ManagementApiParts, 'originOf'>,
  request: FastifyRequest,
): string {
  const origin = originOf(sourceOf(request))
  if (origin !== undefined) return origin
  throw new ApiError(400, 'The Host header of the request is not a valid host name.', {
    field: 'host',
  })
}

/** ISO 8601 in UTC. */
export function timeOf(atMs: number): string {
  return new Date(atMs).toISOString()
}
