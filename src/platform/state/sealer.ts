import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Sealed: `v1.` and base64url of nonce, ciphertext and tag. AES-256-GCM (NIST SP 800-38D) with a
 * random nonce of 96 bits (section 8.2.2); the key is HKDF-SHA256 (RFC 5869) of SECRET_KEY.
 */
const version = 'v1.'
const algorithm = 'aes-256-gcm'
const salt = 'bucketry'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** Purposes of sealed texts. Each has its own key, so that a text for one purpose cannot be used for another. */
const purposes = {
  providerKeys: 'routing provider keys v1',
  accessKeys: 'access keys v1',
  gateways: 'gateways v1',
  shares: 'shares v1',
} as const

/** Seals secrets for the database. */
export interface Sealer {
  /** @param id the id of the secret's owner: the text can't be opened for another id */
  seal(secret: string, id: string): string
  /** Undefined if the text was sealed with another SECRET_KEY or for another id, or is damaged. */
  open(sealed: string, id: string): string | undefined
}

export function createSealer(secretKey: string, purpose: keyof typeof purposes): Sealer {
  const key = new Uint8Array(hkdfSync('sha256', secretKey, salt, purposes[purpose], keyBytes))
  return {
    seal(secret, id) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(id))
      const text = [cipher.update(secret, 'utf8'), cipher.final()]
      return version + Buffer.concat([nonce, ...text, cipher.getAuthTag()]).toString('base64url')
    },
    open(sealed, id) {
      if (!sealed.startsWith(version)) return undefined
      const bytes = Buffer.from(sealed.slice(version.length), 'base64url')
      if (bytes.length < nonceBytes + tagBytes) return undefined
      const nonce = bytes.subarray(0, nonceBytes)
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
      decipher.setAAD(Buffer.from(id))
      decipher.setAuthTag(bytes.subarray(-tagBytes))
      try {
        const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes))
        return Buffer.concat([text, decipher.final()]).toString('utf8')
      } catch {
        // The tag does not match; node:crypto gives no further reason.
        return undefined
      }
    },
  }
}
