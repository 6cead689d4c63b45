import { createPrivateKey, createSign } from 'node:crypto'
import { z } from 'zod'
import { parsedJson } from '../../../../platform/text/json-text.ts'

/** The credentials for Google. Everything except the ids is secret. */
export type GoogleCredentials = RefreshTokenCredentials | ServiceAccountCredentials

/** A user's consent, from `bucketry connect google`. */
interface RefreshTokenCredentials {
  readonly kind: 'refresh-token'
  readonly clientId: string
  readonly clientSecret: string
  readonly refreshToken: string
}

/** A service account of a Google Cloud project. It has no storage, so it needs a shared drive. */
export interface ServiceAccountCredentials {
  readonly kind: 'service-account'
  readonly clientEmail: string
  /** PEM of the RSA key. */
  readonly privateKey: string
  readonly privateKeyId?: string
  /** The user for whom the service account acts, with domain-wide delegation. */
  readonly subject?: string
}

const serviceAccountFile = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(3),
  private_key: z.string().includes('PRIVATE KEY'),
  private_key_id: z.string().optional(),
})

/**
 * Reads the JSON key file of a service account from Google's console.
 *
 * @throws SyntaxError for any other file. The message never shows the content.
 */
export function parseServiceAccount(text: string, subject?: string): ServiceAccountCredentials {
  const parsed = serviceAccountFile.safeParse(parsedJson(text))
  if (!parsed.success) {
    const fields = parsed.error.issues.map(({ path }) => path.join('.') || 'the whole file')
    throw new SyntaxError(
      `this is not the JSON key of a service account (${fields.join(', ')}): expected the file that Google Cloud creates under "Keys, Add key, JSON"`,
    )
  }
  const { client_email, private_key, private_key_id } = parsed.data
  return {
    kind: 'service-account',
    clientEmail: client_email,
    privateKey: private_key,
    ...(private_key_id === undefined ? {} : { privateKeyId: private_key_id }),
    ...(subject === undefined ? {} : { subject }),
  }
}

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

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function rsaKey(pem: string) {
  let key: ReturnType<typeof createPrivateKey> | undefined
  try {
    key = createPrivateKey(pem)
  } catch {
    // The error of OpenSSL is not helpful, and no message may contain the key.
  }
  if (key?.asymmetricKeyType !== 'rsa') {
    throw new TypeError('the private_key of the service account is not an RSA key in PEM')
  }
  return key
}
