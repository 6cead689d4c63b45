import { closeSync, openSync, readSync } from 'node:fs'

const pieceBytes = 64 * 1024

/** Far more than any setting, list of access keys or catalogue needs. */
const maxBytes = 16 * 1024 * 1024

/**
 * Reads a file that a setting names. Checking its size first would not be enough: the size of a device is 0.
 *
 * @throws the system's error; EFBIG for a file that is larger, such as /dev/zero.
 */
export function readBoundedFile(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const pieces: Buffer[] = []
    for (let total = 0; total <= maxBytes; ) {
      const piece = Buffer.allocUnsafe(pieceBytes)
      const bytes = readSync(file, piece)
      if (bytes === 0) return Buffer.concat(pieces)
      pieces.push(piece.subarray(0, bytes))
      total += bytes
    }
  } finally {
    closeSync(file)
  }
  throw Object.assign(new Error(`the file is larger than ${maxBytes} bytes`), { code: 'EFBIG' })
}

/**
 * The value in a file, without the line break that editors and `echo` append.
 *
 * @throws the system's error
 */
export function readValue(path: string): string {
  return readBoundedFile(path)
    .toString()
    .replace(/\r?\n$/, '')
}
