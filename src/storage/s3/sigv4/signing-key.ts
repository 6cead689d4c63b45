import { createHmac } from 'node:crypto'
import { HmacSha256Key } from './hmac-sha256.ts'

export interface SigningScope {
  readonly secretKey: string
  readonly region: string
  /** YYYYMMDD, in UTC. */
  readonly day: string
}

/**
 * Each takes about 1 KiB. A presigned URL lives 7 days, so at most 9 days of a secret are in use at once;
 * deriving a key again takes some 20 µs.
 */
const maxCachedKeys = 4_096
const ownKeys = new Map<string, HmacSha256Key>()
/** Apart: clients choose the names of other regions, and must not displace the keys of REGION. */
const foreignKeys = new Map<string, HmacSha256Key>()

/**
 * The signing key of a day (docs/contract/object-storage.md, "Signing key";
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, step 3).
 *
 * @param isForeign whether the region is another one than REGION.
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
