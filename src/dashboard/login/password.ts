import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Whether `hash` is the SHA-256 of the password: hex, either case. Takes the same time for every
 * wrong hash (docs/contract/login.md, "Password hash").
 */
export function isPasswordHash(hash: string, password: string): boolean {
  const expected = createHash('sha256').update(password).digest()
  const isHex = /^[0-9a-f]{64}$/i.test(hash)
  const given = isHex ? Buffer.from(hash, 'hex') : Buffer.alloc(expected.length)
  return timingSafeEqual(given, expected) && isHex
}
