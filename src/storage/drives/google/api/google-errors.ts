import { DriveError, PrivateDriveError } from '../../drive-error.ts'

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
