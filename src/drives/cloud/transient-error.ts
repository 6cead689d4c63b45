import { DriveError } from '../drive.ts'

/** Why an attempt failed although the next one may succeed. */
export type TransientErrorReason =
  /** The service asks for fewer requests. */
  | 'rate'
  /** The service failed, with a status such as 5xx or an invalid response. */
  | 'server'
  /** There was no response, or only a part of one. */
  | 'network'

/** An attempt failed; a retry may succeed. Callers of the drive get `driveErrorOf` it instead. */
export class TransientError extends Error {
  readonly reason: TransientErrorReason
  /** Milliseconds that the service asks to wait. */
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

/** What callers of the drive get when there is no time for another attempt. */
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
  return new DriveError(
    reason === 'rate' ? 'busy' : 'unavailable',
    `${service} could not ${doing}: ${causes[reason]}`,
    { cause: error, retryAfterSeconds },
  )
}
