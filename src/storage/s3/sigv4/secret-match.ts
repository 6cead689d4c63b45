import { randomBytes } from 'node:crypto'
import type { Credential } from '../../access/access-keys.ts'
import { anonymous } from '../../access/identity.ts'

/** Of a key that is being rotated. */
const maxSecretKeys = 2

const decoySecret = randomBytes(30).toString('base64')

/** Checked in place of an access key that does not exist, so that a wrong signature takes the same time. */
export const decoy: Credential = {
  secretKeys: [decoySecret],
  identity: anonymous,
  refusal: 'This access key does not exist.',
}

/**
 * The result of `sign` for the first secret whose signature is the one that was sent. The work for one that differs is
 * that of a key with two secrets, whatever the key has.
 */
export function matchSecret<Signed extends { readonly signature: string }>(
  secretKeys: readonly string[],
  signature: string,
  sign: (secretKey: string) => Signed,
): Signed | undefined {
  for (const secretKey of secretKeys) {
    const signed = sign(secretKey)
    if (isSameText(signed.signature, signature)) return signed
  }
  for (let tried = secretKeys.length; tried < maxSecretKeys; tried += 1) {
    isSameText(sign(decoySecret).signature, signature)
  }
  return undefined
}

/** Equal or not, in a time that does not depend on where they differ. */
export function isSameText(a: string, b: string): boolean {
  // Two buffers for timingSafeEqual would cost ten times as much.
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i += 1) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
