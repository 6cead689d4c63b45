import { DriveError } from '../../drive.ts'

/** Why an attempt failed in a way that the next may not. */
export type TransientErrorReason =
  /** Google asks for fewer calls. */
  | 'rate'
  /** Google failed: 5xx, or an answer that makes no sense. */
  | 'server'
  /** No answer, or only a piece of one. */
  | 'network'

/** An attempt failed; a retry may succeed. Internal to this folder: callers get `driveErrorOf`. */
export class TransientError extends Error {
  readonly reason: TransientErrorReason
  /** Milliseconds that Google asks to wait. */
  readonly retryAfterMs: number | undefined

  /** @param message what went wrong, such as `503 backendError`; nothing secret. */
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

/**
 * What callers of the drive get when retryPolicy has run out.
 *
 * @param doing for people, such as `list files`.
 * @param waitMs after which another attempt makes sense.
 */
export function driveErrorOf(
  transientError: TransientError,
  doing: string,
  waitMs: number,
): DriveError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  const options = { cause: transientError, retryAfterSeconds }
  const failed = `Google Drive could not ${doing}`
  switch (transientError.reason) {
    case 'rate':
      return new DriveError(
        'busy',
        `${failed}: the API quota is exceeded (${transientError.message}). Try again in ${retryAfterSeconds} s.`,
        options,
      )
    case 'server':
      return new DriveError(
        'unavailable',
        `${failed}: server error (${transientError.message}). Try again later.`,
        options,
      )
    case 'network':
      return new DriveError(
        'unavailable',
        `${failed}: no response (${transientError.message}). Check the network and try again.`,
        options,
      )
  }
}
