/**
 * AWS's UriEncode, for latin1 strings (one character per byte): every byte except the unreserved
 * characters becomes `%XY` in upper case
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
 */
export function uriEncode(bytes: string): string {
  return encode(Buffer.from(bytes, 'latin1'), unreserved)
}

/** As uriEncode, but keeps `/`, for canonical paths. */
export function uriEncodePath(bytes: string): string {
  return encode(Buffer.from(bytes, 'latin1'), unreservedInPath)
}

/** Decodes `%XY` to latin1 characters. An invalid escape stays as it is. */
export function uriDecode(text: string): string {
  return text.includes('%') ? decodedBytes(text).toString('latin1') : text
}

/** uriEncode of uriDecode, in loops over bytes because a hostile text has thousands of escapes. */
export function uriReencode(text: string): string {
  return plain.test(text) ? text : encode(decodedBytes(text), unreserved)
}

/** As uriReencode, but keeps `/`, and decodes `%2F` to it. */
export function uriReencodePath(text: string): string {
  return encode(decodedBytes(text), unreservedInPath)
}

const plain = /^[A-Za-z0-9\-._~]*$/
const percent = 0x25
const unreserved = tableOf(/[A-Za-z0-9\-._~]/)
const unreservedInPath = tableOf(/[A-Za-z0-9\-._~/]/)
const hexDigits = Buffer.from('0123456789ABCDEF')

/** 1 for each byte that the pattern matches. */
function tableOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) =>
    pattern.test(String.fromCharCode(byte)) ? 1 : 0,
  )
}

function encode(bytes: Buffer, kept: Uint8Array): string {
  const written = Buffer.allocUnsafe(bytes.length * 3)
  let length = 0
  for (const byte of bytes) {
    if (kept[byte] === 1) {
      written[length++] = byte
    } else {
      written[length++] = percent
      written[length++] = hexDigits[byte >> 4] ?? 0
      written[length++] = hexDigits[byte & 15] ?? 0
    }
  }
  return written.toString('latin1', 0, length)
}

function decodedBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  let length = 0
  for (let index = 0; index < bytes.length; index++) {
    const value = bytes[index] === percent ? escapedByte(bytes, index) : Number.NaN
    bytes[length++] = Number.isNaN(value) ? (bytes[index] ?? 0) : value
    if (!Number.isNaN(value)) index += 2
  }
  return bytes.subarray(0, length)
}

/** The byte of the escape at `index`; NaN if the escape is invalid. */
function escapedByte(bytes: Buffer, index: number): number {
  return hexValue(bytes[index + 1]) * 16 + hexValue(bytes[index + 2])
}

/** NaN for anything but a hexadecimal digit. */
function hexValue(digit: number | undefined): number {
  if (digit === undefined) return Number.NaN
  if (digit >= 0x30 && digit <= 0x39) return digit - 0x30
  const lower = digit | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : Number.NaN
}
