import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** What is uploaded: the same mebibyte, as often as needed. */
export const piece = Buffer.alloc(1024 * 1024, 'bucketry ')

/** Of aws-chunked, as the SDKs for Go and JavaScript send it. */
const chunkBytes = 64 * 1024

/** The same mebibyte in aws-chunked. */
export const chunkedPiece = Buffer.concat(
  Array.from({ length: piece.length / chunkBytes }, (_, index) => [
    Buffer.from(`${chunkBytes.toString(16)}\r\n`),
    piece.subarray(index * chunkBytes, (index + 1) * chunkBytes),
    Buffer.from('\r\n'),
  ]).flat(),
)

/** The end of a body in aws-chunked: the last chunk and the CRC32 of `bytes` bytes. */
export function trailerOf(bytes: number): string {
  let sum = 0
  for (const part of piecesOf(bytes)) sum = crc32(part, sum)
  const value = Buffer.alloc(4)
  value.writeUInt32BE(sum)
  return `0\r\nx-amz-checksum-crc32:${value.toString('base64')}\r\n\r\n`
}

export function md5Of(bytes: number): string {
  const hash = createHash('md5')
  for (const part of piecesOf(bytes)) hash.update(part)
  return hash.digest('hex')
}

export function* piecesOf(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, left)
}
