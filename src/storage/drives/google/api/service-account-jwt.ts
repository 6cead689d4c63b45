import { createPrivateKey, createSign } from 'node:crypto'
import type { ServiceAccountCredentials } from './credentials.ts'

interface JwtOptions {
  /** The token endpoint that the assertion is for. */
  readonly audience: string
  readonly scope: string
  readonly nowMs: number
}

/** Google's maximum (developers.google.com/identity/protocols/oauth2/service-account). */
const lifeSeconds = 3600

/**
 * The signed assertion with which a service account asks for an access token (RFC 7523).
 *
 * @throws TypeError if the key is not an RSA key in PEM. The message never shows the key.
 */
export function serviceAccountJwt(
  credentials: ServiceAccountCredentials,
  { audience, scope, nowMs }: JwtOptions,
): string {
  const { clientEmail, privateKeyId, subject } = credentials
  const issuedAt = Math.floor(nowMs / 1000)
  const header = { alg: 'RS256', typ: 'JWT', kid: privateKeyId }
  const claims = {
    iss: clientEmail,
    scope,
    aud: audience,
    iat: issuedAt,
    exp: issuedAt + lifeSeconds,
    sub: subject,
  }
  const signed = `${base64url(header)}.${base64url(claims)}`
  return `${signed}.${createSign('sha256').update(signed).sign(rsaKey(credentials.privateKey), 'base64url')}`
}

/** Without members that are undefined. */
function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function rsaKey(pem: string) {
  let key: ReturnType<typeof createPrivateKey> | undefined
  try {
    key = createPrivateKey(pem)
  } catch {
    // OpenSSL's message is not helpful, and the key must not appear in any message.
  }
  if (key?.asymmetricKeyType !== 'rsa') {
    throw new TypeError('the private_key of the service account is not an RSA key in PEM')
  }
  return key
}
