import { DriveError } from '../../drive.ts'

/**
 * Drive has no file of this id (any more), or we may not see it. Callers that know what the absence
 * means catch it; one that slips through reads as: the file changed under us, try again.
 */
export class GoogleNotFound extends DriveError {
  readonly fileId: string

  constructor(fileId: string, options?: ErrorOptions) {
    super('changed', `Google Drive has no file ${fileId} (any more). Try again.`, options)
    this.name = 'GoogleNotFound'
    this.fileId = fileId
  }
}

/** Drive does not take a page token (any more): the listing or the crawl begins anew. */
export class GooglePageExpired extends DriveError {
  constructor(options?: ErrorOptions) {
    super('busy', 'Google Drive does not go on with this list; it is read again.', options)
    this.name = 'GooglePageExpired'
  }
}
