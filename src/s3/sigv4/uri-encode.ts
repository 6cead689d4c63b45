/**
 * AWS's UriEncode, for latin1 strings (one character per byte): every byte except the unreserved
 * characters becomes `%XY` in upper case
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
 */
export function uriEncode(bytes: string): string {
  return bytes.replace(reserved, percentEscape)
}

/** As uriEncode, but keeps `/`, as the canonical path does. */
export function uriEncodePath(bytes: string): string {
  return bytes.replace(reservedInPath, percentEscape)
}

/** Decodes `%XY` to latin1 characters. A broken escape stays as it is. */
export function uriDecode(text: string): string {
  return text.replace(/%([0-9a-fA-F]{2})/g, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

const reserved = /[^A-Za-z0-9\-._~]/g
const reservedInPath = /[^A-Za-z0-9\-._~/]/g

function percentEscape(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}
