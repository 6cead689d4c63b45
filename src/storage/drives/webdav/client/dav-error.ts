import { retryAfterMs } from '../../../../platform/process/back-off.ts'
import { DriveError, type DriveErrorKind } from '../../drive-error.ts'

/** The status line and headers of an HTTP response. */
export interface ResponseHead {
  readonly status: number
  /** Lower-case names; the first value of a repeated header. */
  header(name: string): string | undefined
}

/** The default meaning of a status. */
const kinds: Readonly<Record<number, DriveErrorKind>> = {
  401: 'denied',
  403: 'denied',
  404: 'unavailable',
  405: 'denied',
  409: 'busy',
  412: 'busy',
  413: 'denied',
  414: 'key-too-long',
  423: 'busy',
  425: 'busy',
  429: 'busy',
  503: 'busy',
  507: 'full',
}

const advice: Readonly<Partial<Record<DriveErrorKind, string>>> = {
  denied: "Check the account's permissions there, and the size limits of the server and its proxy.",
  full: 'There is no space left, or the quota is used up.',
  'key-too-long': 'The name is longer than the server accepts.',
  busy: 'It is busy, or the file is locked; try again.',
  unavailable: "Check the server's log.",
}

/** Longer waiting times of a server are not passed on. */
const longestRetryAfterSeconds = 3_600

/** The server answered with an unexpected status. */
export class StatusError extends DriveError {
  readonly status: number

  constructor(method: string, answer: ResponseHead) {
    const { status } = answer
    const kind = kinds[status] ?? 'unavailable'
    const message = `The WebDAV server answered ${method} with ${status}. ${advice[kind] ?? ''}`
    const ms = retryAfterMs(answer.header('retry-after'), Date.now())
    const seconds = ms && Math.min(longestRetryAfterSeconds, Math.ceil(ms / 1_000))
    super(kind, message, seconds === undefined ? {} : { retryAfterSeconds: seconds })
    this.name = 'StatusError'
    this.status = status
  }
}

export function refusedCredentials(): DriveError {
  const message =
    'The WebDAV server rejects the user name or password (401). Check them in DRIVE; Nextcloud ' +
    'requires an app password (Settings, Security) if two-factor sign-in is on.'
  return new DriveError('denied', message)
}

export function unreachable(cause: unknown): DriveError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? 'no response'
  return new DriveError('unavailable', `The WebDAV server is not responding (${code}).`, { cause })
}
