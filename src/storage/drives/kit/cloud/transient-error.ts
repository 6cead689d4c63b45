import { type DriveError, PrivateDriveError } from '../../drive-error.ts'

/** Why an attempt failed although the next one may succeed. */
export type TransientErrorReason =
  /** The service demands fewer requests. */
  | 'rate'
  /** The service failed, with a status such as 5xx or an invalid response. */
  | 'server'
  /** There was no response, or only a part of one. */
  | 'network'

/** An attempt failed; a retry may succeed. Callers of a drive get a DriveError (`driveErrorOf`). */
export class TransientError extends Error {
  readonly reason: TransientErrorReason
  /** Milliseconds to wait, according to the service. */
  readonly retryAfterMs: number | undefined

  /** @param message what went wrong, such as `503 backendError`; it must contain no secret. */
  constructor(
    reason: TransientErrorReason,
    message: string,
    options: ErrorOptions & { readonly retryAfterMs?: number | undefined } = {},
  ) {
    super(message, options)
    this.name = 'TransientError'
    this.reason = reason
    this.retryAfterMs = options.retryAfterMs
  }
}

export interface FailedAttempts {
  /** For people, such as `Google Drive`. */
  readonly service: string
  /** For people, such as `list files`. */
  readonly doing: string
  /** Milliseconds after which another attempt makes sense. */
  readonly waitMs: number
}

/** The error for callers of a drive when there is no time for another attempt. */
export function driveErrorOf(
  error: TransientError,
  { service, doing, waitMs }: FailedAttempts,
): DriveError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  const { message, reason } = error
  const causes = {
    rate: `the API quota is exceeded (${message}). Try again in ${retryAfterSeconds} s.`,
    server: `server error (${message}). Try again later.`,
    network: `no response (${message}). Check the network and try again.`,
  }
  return new PrivateDriveError(
    reason === 'rate' ? 'busy' : 'unavailable',
    `${service} could not ${doing}: ${causes[reason]}`,
    { cause: error, retryAfterSeconds },
  )
}
