import { DriveError } from '../../drive.ts'

/**
 * Drive has no file of this id, or the account can't see it. Callers that know what the absence
 * means catch it; one that slips through reads as: the file changed under us, try again.
 */
export class GoogleNotFound extends DriveError {
  readonly fileId: string

  constructor(fileId: string, options?: ErrorOptions) {
    super(
      'changed',
      `Google Drive has no file ${fileId}; it may have been deleted. Try again.`,
      options,
    )
    this.name = 'GoogleNotFound'
    this.fileId = fileId
  }
}

/** Drive rejects a page token, which may have expired: the listing or crawl restarts. */
export class GooglePageExpired extends DriveError {
  constructor(options?: ErrorOptions) {
    super('busy', 'The Google Drive page token has expired; the list is read again.', options)
    this.name = 'GooglePageExpired'
  }
}

/** The id chosen for a new file belongs to a file already: an earlier attempt came through. */
export class GoogleIdTaken extends DriveError {
  readonly fileId: string

  constructor(fileId: string, options?: ErrorOptions) {
    super('busy', `Google Drive already has a file ${fileId}. Try again.`, options)
    this.name = 'GoogleIdTaken'
    this.fileId = fileId
  }
}

/** Google does not take the gateway's own credentials: no matter of who asks, nor of what for. */
export class GoogleCredentialsRefused extends DriveError {
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
