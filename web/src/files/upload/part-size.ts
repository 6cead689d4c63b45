const mebibyte = 1024 * 1024

/**
 * Files up to this size are sent without showing their progress, many at a time: 70 kbit/s are
 * enough for all of them to arrive in time.
 */
export const smallBytes = 128 * 1024

/** Files up to this size are uploaded in one request. */
export const singleRequestBytes = 16 * mebibyte
const minPartBytes = 16 * mebibyte

/**
 * S3 allows 10,000 parts. A tenth of that keeps the list of parts on one page, which is all that
 * the uploader reads when it resumes a failed upload.
 */
const maxParts = 1_000

export function partSize(fileSize: number): number {
  const needed = Math.ceil(fileSize / maxParts / mebibyte) * mebibyte
  return Math.max(minPartBytes, needed)
}
