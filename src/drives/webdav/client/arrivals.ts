import { DriveError } from '../../drive.ts'
import type { DavAnswer } from './dav-client.ts'
import { md5In, opaqueTag } from './multistatus.ts'

const md5Pattern = /^[0-9a-f]{32}$/

/**
 * Asks Nextcloud to compute the MD5 of the bytes that it receives; it answers with `X-Hash-MD5`
 * (its developer manual, "WebDAV", "Request headers"). Other servers ignore the header.
 */
export const askForMd5 = { 'x-hash': 'md5' } as const

/** Compares what a server says it has received with what was sent. */
export class Arrivals {
  #areTold = false
  #etagsAreMd5 = false

  /** Whether the server reports the MD5 of what it has, so that it is worth computing here. */
  get areTold(): boolean {
    return this.#areTold
  }

  /**
   * Checks the answer to a PUT: `X-Hash-MD5` (Nextcloud), `OC-Checksum` (ownCloud), and the ETag of a
   * server whose ETags have been MD5s of the content before (rclone with --etag-hash MD5).
   *
   * @param md5 of the bytes that were sent; undefined when it is not known.
   * @throws DriveError `unavailable` when the server has other bytes.
   */
  checkAnswer({ header }: Pick<DavAnswer, 'header'>, md5: string | undefined): void {
    const told = header('x-hash-md5') ?? md5In(header('oc-checksum'))
    const tag = opaqueTag(header('etag'))
    if (tag !== undefined && tag === md5) this.#etagsAreMd5 = true
    this.check(told ?? (this.#etagsAreMd5 ? tag : undefined), md5)
  }

  /**
   * Checks an MD5 that the server reports.
   *
   * @throws DriveError `unavailable` when the server has other bytes.
   */
  check(told: string | undefined, md5: string | undefined): void {
    const stored = told?.toLowerCase()
    if (stored === undefined || !md5Pattern.test(stored)) return
    this.#areTold = true
    if (md5 !== undefined && stored !== md5) throw damaged(stored, md5)
  }
}

/** What callers know of an object's MD5: an ETag may be something else. */
export function md5OfEtag(etag: string): string | undefined {
  return md5Pattern.test(etag) ? etag : undefined
}

function damaged(stored: string, md5: string): DriveError {
  const message =
    `The WebDAV server received wrong bytes: it has MD5 ${stored}, not ${md5}. ` +
    'Check the network and any proxy before the server, and try again.'
  return new DriveError('unavailable', message)
}
