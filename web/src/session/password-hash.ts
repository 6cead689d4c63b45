import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * SHA-256 of a password, hex, as `/auth/login` takes it. By a library, since browsers have
 * crypto.subtle in secure contexts only, and a gateway at home often has no certificate.
 */
export function passwordHash(password: string): string {
  return bytesToHex(sha256(utf8ToBytes(password)))
}
