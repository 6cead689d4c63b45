import type { HttpRequest } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { Limiter } from '../../platform/process/limiter.ts'
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

/** The error when a listing fails. */
export function driveUnavailable(cause: DriveError): ApiError {
  return new ApiError(503, 'The drive does not respond. Try again later.', { cause })
}

/** The error when the bucket in the path does not exist. */
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

/** Limits how many long-running replies a process sends at a time. */
export class ReplySlots {
  readonly #message: string
  readonly #limiter: Limiter

  /** @param message of the error when no slot is free */
  constructor(slots: number, message: string) {
    this.#limiter = new Limiter(slots)
    this.#message = message
  }

  /**
   * Takes a slot and returns the function that frees it, which may be called repeatedly. @throws ApiError 503 if no
   * slot is free
   */
  enter(): () => void {
    const leave = this.#limiter.enterNow()
    if (leave === undefined) throw new ApiError(503, this.#message)
    return leave
  }
}
