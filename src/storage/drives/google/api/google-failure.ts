import { z } from 'zod'
import { retryAfterMs } from '../../../../platform/process/back-off.ts'
import { parsedJson } from '../../../../platform/text/json-text.ts'
import { DriveError, type DriveErrorKind, PrivateDriveError } from '../../drive-error.ts'
import { TransientError } from '../../kit/cloud/retry-policy.ts'
import type { HttpAnswer } from './google-http.ts'

/**
 * Drive has no file with this id, or the account can't see it. Callers for which that is an
 * expected result catch it. Otherwise it is reported as a file that was changed meanwhile.
 */
export class GoogleNotFound extends PrivateDriveError {
  constructor(fileId: string, options?: ErrorOptions) {
    super(
      'changed',
      `Google Drive has no file ${fileId}; it may have been deleted. Try again.`,
      options,
    )
    this.name = 'GoogleNotFound'
  }
}

/** Drive rejects a page token, which may have expired: the listing or crawl restarts. */
export class GooglePageExpired extends DriveError {
  constructor(options?: ErrorOptions) {
    super('busy', 'The Google Drive page token has expired; the list is read again.', options)
    this.name = 'GooglePageExpired'
  }
}

/** The id of a new file is already in use, usually because an earlier attempt succeeded. */
export class GoogleIdTaken extends PrivateDriveError {
  constructor(fileId: string, options?: ErrorOptions) {
    super('busy', `Google Drive already has a file ${fileId}. Try again.`, options)
    this.name = 'GoogleIdTaken'
  }
}

/** Google rejects the gateway's own credentials, which affects every request. */
export class GoogleCredentialsRefused extends PrivateDriveError {
  constructor(message: string, options?: ErrorOptions) {
    super('unavailable', message, options)
    this.name = 'GoogleCredentialsRefused'
  }
}

/** Drive flags the file as malware and requires an explicit acknowledgement to download it. */
export class GoogleSuspects extends DriveError {
  constructor(options?: ErrorOptions) {
    super(
      'denied',
      'Google Drive flags this file as malware and allows only its owner to download it.',
      options,
    )
    this.name = 'GoogleSuspects'
  }
}

/** Google's response to a call that it refused. */
interface GoogleFailure {
  readonly status: number
  /** The reason of errors[0], such as `rateLimitExceeded`; empty if there is none. */
  readonly reason: string
  /** Google's user-facing message; empty if there is none. */
  readonly message: string
  readonly retryAfterMs: number | undefined
}

/** What the error for a failed call depends on. */
export interface FailureContext {
  /** For people, such as `list files`. */
  readonly doing: string
  /** The file that a 404 is about; for a new file, its parent. */
  readonly fileId?: string | undefined
  /** The id for a new file. */
  readonly newId?: string | undefined
  readonly hasPageToken?: boolean | undefined
  /** Whether it is a call of a resumable session, which answers 400 when its state differs. */
  readonly isSession?: boolean | undefined
}

/** The maximum that is read of an error page. */
const maxErrorBytes = 64 * 1024

const errorBody = z.object({
  error: z.object({
    message: z.string().default(''),
    // Messages repeat a reason only if it is one of Google's identifiers.
    errors: z
      .array(
        z.object({
          reason: z
            .string()
            .regex(/^\w{1,64}$/)
            .catch(''),
        }),
      )
      .default([]),
  }),
})

/** Reads why Google refused a call. Rejects when the reply cannot be read. */
export async function readFailure(answer: HttpAnswer, nowMs: number): Promise<GoogleFailure> {
  const { status } = answer
  const text = (await answer.beginning(maxErrorBytes)).toString('utf8')
  // Proxies and front ends return HTML pages, of which only the status counts.
  const parsed = errorBody.safeParse(parsedJson(text))
  const error = parsed.data?.error
  return {
    status,
    reason: error?.errors[0]?.reason ?? '',
    message: harmless(error?.message ?? ''),
    retryAfterMs: retryAfterMs(answer.header('retry-after'), nowMs),
  }
}

interface Verdict {
  readonly kind: DriveErrorKind
  readonly advice: string
  /** Seconds until another attempt makes sense. */
  readonly retryAfterSeconds?: number
}

const rateReasons: ReadonlySet<string> = new Set(['rateLimitExceeded', 'userRateLimitExceeded'])

const isFull: Verdict = {
  kind: 'full',
  advice:
    'Its storage is full. Free some or buy more; a service account has no storage of its own and needs a shared drive.',
}
const hasTooMany: Verdict = {
  kind: 'full',
  advice: 'Its item limit is reached: delete some items, or use another folder or shared drive.',
}
const mayNot: Verdict = {
  kind: 'denied',
  advice:
    'The account lacks permission: share the folder with it as an editor (on shared drives as a content manager), and grant the scope "drive".',
}
/** Affects every request, like rejected credentials. */
const isSwitchedOff: Verdict = {
  kind: 'unavailable',
  advice: 'Enable the Google Drive API in the Google Cloud project of the client ID.',
}

/**
 * Google's reasons for refusals that a retry does not change soon
 * (developers.google.com/workspace/drive/api/guides/handle-errors).
 */
const verdicts: Readonly<Record<string, Verdict>> = {
  storageQuotaExceeded: isFull,
  quotaExceeded: isFull,
  teamDriveFileLimitExceeded: hasTooMany,
  teamDriveHierarchyTooDeep: hasTooMany,
  numChildrenInNonRootLimitExceeded: hasTooMany,
  activeItemCreationLimitExceeded: hasTooMany,
  myDriveHierarchyDepthLimitExceeded: hasTooMany,
  dailyLimitExceeded: {
    kind: 'busy',
    advice:
      "The Google Cloud project's daily quota is used up: wait, or request more in its console.",
    retryAfterSeconds: 3600,
  },
  downloadQuotaExceeded: {
    kind: 'busy',
    advice: 'The file was downloaded too often; Google blocks downloads for up to a day.',
    retryAfterSeconds: 3600,
  },
  accessNotConfigured: isSwitchedOff,
  dailyLimitExceededUnreg: isSwitchedOff,
  appNotAuthorizedToFile: {
    kind: 'denied',
    advice:
      'With the scope "drive.file", only files that Bucketry created are accessible: run `bucketry connect google` and grant the scope "drive".',
  },
  insufficientPermissions: {
    kind: 'unavailable',
    advice: 'The granted scopes do not cover this: run `bucketry connect google` again.',
  },
  insufficientFilePermissions: mayNot,
  insufficientParentPermissions: mayNot,
  fileNotDownloadable: {
    kind: 'denied',
    advice: "Google's own document formats cannot be downloaded as bytes.",
  },
}

/**
 * The error for a refusal: a TransientError if a retry may succeed, otherwise the error for
 * callers.
 */
export function errorOfFailure(failure: GoogleFailure, context: FailureContext): Error {
  const { status, reason, retryAfterMs } = failure
  const said = [String(status), reason].filter(Boolean).join(' ')
  if (status === 429 || (status === 403 && rateReasons.has(reason))) {
    return new TransientError('rate', said, { retryAfterMs })
  }
  if (status >= 500 || status === 408) return new TransientError('server', said, { retryAfterMs })
  // The session may have other bytes than expected: the caller queries it and resumes from there.
  if (status === 400 && context.isSession) return new TransientError('server', said)
  const cause = new Error([said, failure.message].filter(Boolean).join(': '))
  if (context.hasPageToken && [400, 404, 410].includes(status))
    return new GooglePageExpired({ cause })
  if (status === 404 && context.fileId !== undefined) {
    return new GoogleNotFound(context.fileId, { cause })
  }
  if (status === 409 && context.newId !== undefined) {
    return new GoogleIdTaken(context.newId, { cause })
  }
  if (reason === 'cannotDownloadAbusiveFile') return new GoogleSuspects({ cause })
  const { kind, advice, retryAfterSeconds } = verdictOf(failure)
  const message = `Google Drive could not ${context.doing} (${cause.message}). ${advice}`
  return new PrivateDriveError(kind, message, {
    cause,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

function verdictOf({ status, reason }: GoogleFailure): Verdict {
  const known = Object.hasOwn(verdicts, reason) ? verdicts[reason] : undefined
  if (known !== undefined) return known
  if (status === 403) return mayNot
  if (status === 416)
    return { kind: 'changed', advice: 'The file is now shorter than the requested range.' }
  return {
    kind: 'unavailable',
    advice: 'Bucketry does not expect this response; report it as a bug.',
  }
}

/** Makes Google's text safe for logs: one line, without URLs, which may be those of sessions. */
function harmless(text: string): string {
  return text
    .replaceAll(/https?:\/\/\S+/g, '…')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
}
