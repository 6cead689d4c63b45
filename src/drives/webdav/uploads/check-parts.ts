import { createHash } from 'node:crypto'
import { DriveError, type PartDigest } from '../../drive.ts'

/**
 * Passes the bytes of an upload on and compares each part with what was received for it. The last bytes
 * of a part are passed on only if the part is correct, so that a server never gets all bytes of a
 * damaged upload.
 *
 * @throws DriveError `unavailable` when a part has other bytes now, or when bytes are missing.
 */
export async function* checkParts(
  chunks: AsyncIterable<Uint8Array>,
  parts: readonly PartDigest[],
): AsyncGenerator<Uint8Array, void, undefined> {
  let number = 0
  let left = 0
  let hash = createHash('md5')
  for await (const chunk of chunks) {
    for (let rest = chunk; rest.length > 0; ) {
      while (left === 0) {
        number += 1
        left = parts[number - 1]?.size ?? rest.length
        hash = createHash('md5')
      }
      const bytes = rest.subarray(0, left)
      hash.update(bytes)
      left -= bytes.length
      rest = rest.subarray(bytes.length)
      const expected = parts[number - 1]?.md5
      if (left === 0 && hash.digest('hex') !== expected) throw differentPart(number)
    }
    yield chunk
  }
  if (left > 0) throw differentPart(number)
}

function differentPart(number: number): DriveError {
  const message =
    `The local copy of part ${number} of this upload differs from the bytes received. ` +
    'Check the disk that holds the staging folder, then upload the object again.'
  return new DriveError('unavailable', message)
}
