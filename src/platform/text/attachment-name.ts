import { percentEncode } from './percent-encoding.ts'

/**
 * The Content-Disposition that saves a download under this name: RFC 6266, the name in both forms of
 * its section 4.3, the extended one by RFC 8187 section 3.2.
 */
export function attachmentNamed(name: string): string {
  // Browsers interpret quotes, backslashes and percent signs in the plain form differently (RFC
  // 6266 appendix D); all of them prefer the extended form.
  const plain = name.toWellFormed().replace(/[^\x20-\x7e]|["\\%]/gu, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${percentEncode(name)}`
}
