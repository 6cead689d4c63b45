const mebibyte = 1024 * 1024

/** Up to this a file goes in one request. */
export const singleRequestBytes = 16 * mebibyte
const minPartBytes = 16 * mebibyte

/**
 * S3 allows 10,000 parts. A tenth of it keeps the list of parts on one page, which is all that
 * the uploader reads when it goes on with an upload that failed.
 */
const maxParts = 1_000

/** Bytes in a part of a file of this size. */
export function partSize(fileSize: number): number {
  const needed = Math.ceil(fileSize / maxParts / mebibyte) * mebibyte
  return Math.max(minPartBytes, needed)
}
