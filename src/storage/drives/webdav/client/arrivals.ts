import { DriveError } from '../../drive-error.ts'
import type { DavAnswer } from './dav-client.ts'
import { md5In, opaqueTag } from './multistatus.ts'

const md5Pattern = /^[0-9a-f]{32}$/

/**
 * Asks Nextcloud to compute the MD5 of the bytes that it receives; it answers with `X-Hash-MD5`
 * (its developer manual, "WebDAV", "Request headers"). Other servers ignore the header.
 */
export const askForMd5 = { 'x-hash': 'md5' } as const

/** Compares what the server reports to have received with what was sent. */
export class Arrivals {
  #areReported = false
  #etagsAreMd5 = false

  /** Whether the server reports MD5s, so that they should be computed here. */
  get areReported(): boolean {
    return this.#areReported
  }

  /**
   * Checks the answer to a PUT: `X-Hash-MD5` (Nextcloud), `OC-Checksum` (ownCloud), and the ETag if an
   * earlier ETag of this server was the MD5 of the content (rclone with --etag-hash MD5).
   *
   * @param md5 of the bytes that were sent; undefined when it is not known.
   * @throws DriveError `unavailable` when the server has other bytes.
   */
  checkAnswer({ header }: Pick<DavAnswer, 'header'>, md5: string | undefined): void {
    const reported = header('x-hash-md5') ?? md5In(header('oc-checksum'))
    const tag = opaqueTag(header('etag'))
    if (tag !== undefined && tag === md5) this.#etagsAreMd5 = true
    this.check(reported ?? (this.#etagsAreMd5 ? tag : undefined), md5)
  }

  /** @throws DriveError `unavailable` when the server has other bytes */
  check(reported: string | undefined, md5: string | undefined): void {
    const stored = reported?.toLowerCase()
    if (stored === undefined || !md5Pattern.test(stored)) return
    this.#areReported = true
    if (md5 !== undefined && stored !== md5) throw damaged(stored, md5)
  }
}

/** The MD5 in an object's ETag; undefined if the ETag is something else. */
export function md5OfEtag(etag: string): string | undefined {
  return md5Pattern.test(etag) ? etag : undefined
}

function damaged(stored: string, md5: string): DriveError {
  const message =
    `The WebDAV server received wrong bytes: it has MD5 ${stored}, not ${md5}. ` +
    'Check the network and any proxy before the server, and try again.'
  return new DriveError('unavailable', message)
}
