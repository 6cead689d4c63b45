/**
 * What Drive answers when it refuses: a status, and a reason that says more than the status does
 * (developers.google.com/workspace/drive/api/guides/handle-errors).
 */
const refusals = {
  authError: [401, 'Invalid Credentials'],
  badContent: [400, 'Unsupported content'],
  badRequest: [400, 'Bad Request'],
  cannotAddParent: [403, 'Increasing the number of parents is not allowed'],
  cannotCopyFile: [403, 'This file cannot be copied by the user.'],
  cannotDownloadAbusiveFile: [403, 'This file has been identified as malware or spam.'],
  dailyLimitExceeded: [403, 'Daily Limit Exceeded'],
  fieldNotWritable: [403, 'The resource body includes fields which are not directly writable.'],
  fileIdInUse: [409, 'A file already exists with the provided ID.'],
  fileNotDownloadable: [
    403,
    'Only files with binary content can be directly downloaded. Use Export with Docs Editors files.',
  ],
  generatedIdNotSupported: [
    400,
    'Generated IDs are not supported for Docs Editors formats or when copying a Docs Editors file.',
  ],
  insufficientFilePermissions: [
    403,
    'The user does not have sufficient permissions for this file.',
  ],
  internalError: [500, 'Internal Error'],
  invalid: [400, 'Invalid Value'],
  invalidParameter: [400, 'Invalid parameter'],
  multipleParents: [400, 'A file cannot be placed in multiple folders.'],
  myDriveHierarchyDepthLimitExceeded: [
    403,
    'The folder hierarchy depth limit of My Drive has been exceeded.',
  ],
  notFound: [404, 'Not Found'],
  numChildrenInNonRootLimitExceeded: [
    403,
    'The limit for the number of children (files and folders) in a folder has been exceeded.',
  ],
  parentNotAFolder: [403, 'The specified parent is not a folder.'],
  parseError: [400, 'Parse Error'],
  propertyCountLimitExceeded: [403, 'The limit for properties of this file has been exceeded.'],
  propertyLengthLimitExceeded: [
    403,
    'Properties and app properties are limited to 124 bytes in UTF-8 encoding, counting both the key and the value.',
  ],
  rateLimitExceeded: [403, 'Rate Limit Exceeded'],
  required: [400, 'Required parameter missing'],
  requestedRangeNotSatisfiable: [416, 'Request range not satisfiable'],
  storageQuotaExceeded: [403, "The user's Drive storage quota has been exceeded."],
  supportsTeamDrivesRequired: [
    403,
    'The supportsAllDrives parameter must be set to true when includeItemsFromAllDrives is.',
  ],
  backendError: [503, 'Service Unavailable'],
  teamDriveHierarchyTooDeep: [403, 'The shared drive hierarchy depth will exceed the limit.'],
  teamDrivesFolderMoveInNotSupported: [403, 'Moving folders into shared drives is not supported.'],
  tooManyRequests: [429, 'Too many requests'],
  userRateLimitExceeded: [403, 'User Rate Limit Exceeded'],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>

export type Reason = keyof typeof refusals

const domains: Partial<Record<Reason, string>> = {
  rateLimitExceeded: 'usageLimits',
  userRateLimitExceeded: 'usageLimits',
  dailyLimitExceeded: 'usageLimits',
}

export interface ErrorDetails {
  readonly message?: string
  readonly location?: string
  readonly locationType?: 'parameter' | 'header'
  /** The status, where it is not the one that goes with the reason. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A refusal on its way to the client. */
export class GoogleError extends Error {
  readonly status: number
  readonly reason: Reason
  readonly #details: ErrorDetails

  constructor(reason: Reason, details: ErrorDetails = {}) {
    const [status, message] = refusals[reason]
    super(details.message ?? message)
    this.name = 'GoogleError'
    this.status = details.status ?? status
    this.reason = reason
    this.#details = details
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#details.headers ?? {}
  }

  /** The reply's body. */
  toJson(): unknown {
    const { location } = this.#details
    const where =
      location === undefined
        ? {}
        : { locationType: this.#details.locationType ?? 'parameter', location }
    const domain = domains[this.reason] ?? 'global'
    const entry = { domain, reason: this.reason, message: this.message, ...where }
    return { error: { errors: [entry], code: this.status, message: this.message } }
  }
}

export function fileNotFound(id: string): GoogleError {
  const message = `File not found: ${id}.`
  return new GoogleError('notFound', { message, location: 'fileId' })
}

export function invalidValue(location: string, message = 'Invalid Value'): GoogleError {
  return new GoogleError('invalid', { message, location })
}
