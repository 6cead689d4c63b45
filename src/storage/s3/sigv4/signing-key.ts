import { createHmac, hash, randomBytes } from 'node:crypto'
import type { Credential } from '../../access/access-keys.ts'
import { anonymous } from '../../access/authorize.ts'

const blockBytes = 64 // RFC 2104 section 2: the block size of SHA-256
const digestBytes = 32
const textBytes = 1024 // more than any string to sign; a longer text gets its own buffer

/**
 * An HMAC-SHA256 key with precomputed pads (RFC 2104 section 4). Signing is two one-shot hashes, at a third of the cost
 * of createHmac.
 */
export class HmacSha256Key {
  readonly #inner = Buffer.alloc(blockBytes + textBytes)
  readonly #outer = Buffer.alloc(blockBytes + digestBytes)

  constructor(key: Uint8Array) {
    const short = key.length > blockBytes ? hash('sha256', key, 'buffer') : key
    for (let i = 0; i < blockBytes; i++) {
      const byte = short[i] ?? 0
      this.#inner[i] = byte ^ 0x36
      this.#outer[i] = byte ^ 0x5c
    }
  }

  /** The HMAC of a text of latin1 characters (one byte each), in lower-case hexadecimal. */
  signHex(text: string): string {
    const inner = this.#innerFor(text.length)
    inner.write(text, blockBytes, 'latin1')
    const digest = hash('sha256', inner.subarray(0, blockBytes + text.length), 'binary')
    this.#outer.write(digest, blockBytes, 'latin1')
    return hash('sha256', this.#outer, 'hex')
  }

  #innerFor(length: number): Buffer {
    if (length <= textBytes) return this.#inner
    const wide = Buffer.allocUnsafe(blockBytes + length)
    this.#inner.copy(wide, 0, 0, blockBytes)
    return wide
  }
}

interface SigningScope {
  readonly secretKey: string
  readonly region: string
  /** YYYYMMDD, in UTC. */
  readonly day: string
}

/**
 * Each key takes about 1 KiB. A presigned URL is valid for up to 7 days, so a secret has at most 9 keys in use. Deriving a
 * key takes about 20 µs.
 */
const maxCachedKeys = 4_096
const ownKeys = new Map<string, HmacSha256Key>()
/** Separate, because clients choose the names of other regions and must not evict the keys of REGION. */
const foreignKeys = new Map<string, HmacSha256Key>()

/**
 * The signing key of a day (docs/contract/object-storage.md, "Signing key";
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, step 3).
 *
 * @param isForeign whether the region is not REGION
 */
export function signingKey(scope: SigningScope, isForeign = false): HmacSha256Key {
  const cachedKeys = isForeign ? foreignKeys : ownKeys
  const name = `${scope.day}/${scope.region}/${scope.secretKey}`
  let key = cachedKeys.get(name)
  if (key === undefined) {
    key = deriveSigningKey(scope)
    for (const oldest of cachedKeys.keys()) {
      if (cachedKeys.size < maxCachedKeys) break
      cachedKeys.delete(oldest)
    }
    cachedKeys.set(name, key)
  }
  return key
}

function deriveSigningKey(scope: SigningScope): HmacSha256Key {
  const steps = [scope.day, scope.region, 's3', 'aws4_request']
  let key: Buffer = Buffer.from(`AWS4${scope.secretKey}`)
  for (const step of steps) key = createHmac('sha256', key).update(step).digest()
  return new HmacSha256Key(key)
}

/** An access key has two while it is being rotated. */
const maxSecretKeys = 2

const decoySecret = randomBytes(30).toString('base64')

/** Used instead of an access key that does not exist so that a wrong signature takes the same time. */
export const decoy: Credential = {
  secretKeys: [decoySecret],
  identity: anonymous,
  refusal: 'This access key does not exist.',
}

/**
 * The result of `sign` for the first secret whose signature matches. If none matches, the work is always that of a key
 * with two secrets.
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

/** Compares in a time that does not depend on where the texts differ. */
export function isSameText(a: string, b: string): boolean {
  // timingSafeEqual needs two buffers, which would take ten times as long.
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i += 1) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
