import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * SHA-256 of a password in hex, as `/auth/login` expects. A library computes it because browsers
 * offer crypto.subtle only in secure contexts, and gateways at home often have no certificate.
 */
export function passwordHash(password: string): string {
  return bytesToHex(sha256(utf8ToBytes(password)))
}
