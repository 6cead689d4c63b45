import {
  createVerify,
  generateKeyPairSync,
  type KeyPairKeyObjectResult,
  randomBytes,
} from 'node:crypto'
import type { EmulatorClock } from './emulator-clock.ts'
import type { Owner } from './file-record.ts'

/** What a user gets from the consent screen. */
export interface UserCredentials {
  readonly kind: 'refresh-token'
  readonly clientId: string
  readonly clientSecret: string
  readonly refreshToken: string
}

/** The members of a service account's key file that are used. */
export interface ServiceAccountKey {
  readonly type: 'service_account'
  readonly client_email: string
  readonly private_key_id: string
  readonly private_key: string
  readonly token_uri: string
}

interface Grant {
  readonly owner: Owner
  readonly expiresAtMs: number
}

type TokenReply = readonly [status: number, json: Readonly<Record<string, unknown>>]

const tokenScope = 'https://www.googleapis.com/auth/drive'
const officialTokenUrl = 'https://oauth2.googleapis.com/token'
const jwtGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** RFC 7523 does not specify it; Google allows an hour. */
const longestAssertionSeconds = 3600
const allowedSkewSeconds = 300

/** The token endpoint (RFC 6749 section 6, RFC 7523) and its access tokens. */
export class CredentialsDesk {
  readonly user: UserCredentials = {
    kind: 'refresh-token',
    clientId: '123456789012-emulator.apps.googleusercontent.com',
    clientSecret: `GOCSPX-${randomBytes(21).toString('base64url')}`,
    refreshToken: `1//0e${randomBytes(45).toString('base64url')}`,
  }
  /** How long an access token is valid. */
  lifeSeconds = 3599
  /** The grant was revoked, or its seven days in Testing are over. */
  isRevoked = false
  /** The endpoint's URL, which must be the audience of assertions. */
  tokenUrl = officialTokenUrl
  readonly #clock: EmulatorClock
  #made: KeyPairKeyObjectResult | undefined
  readonly #grants = new Map<string, Grant>()

  constructor(clock: EmulatorClock) {
    this.#clock = clock
  }

  /** Created when first needed, because that takes a large part of a short test's time. */
  get #keys(): KeyPairKeyObjectResult {
    this.#made ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
    return this.#made
  }

  get serviceAccount(): ServiceAccountKey {
    return {
      type: 'service_account',
      client_email: 'gateway@emulator.iam.gserviceaccount.com',
      private_key_id: 'emulator',
      private_key: String(this.#keys.privateKey.export({ type: 'pkcs8', format: 'pem' })),
      token_uri: this.tokenUrl,
    }
  }

  /** Issues an access token without a grant. */
  issue(owner: Owner): string {
    const token = `ya29.${randomBytes(40).toString('base64url')}`
    const expiresAtMs = this.#clock.nowMs() + this.lifeSeconds * 1000
    this.#grants.set(token, { owner, expiresAtMs })
    return token
  }

  /** Invalidates all issued access tokens. */
  expireTokens(): void {
    this.#grants.clear()
  }

  expireToken(token: string): void {
    this.#grants.delete(token)
  }

  /** The token's owner; undefined if it is not valid. */
  ownerOf(token: string): Owner | undefined {
    const grant = this.#grants.get(token)
    return grant !== undefined && grant.expiresAtMs > this.#clock.nowMs() ? grant.owner : undefined
  }

  answer(form: URLSearchParams): TokenReply {
    const grantType = form.get('grant_type')
    if (grantType === 'refresh_token') return this.#refresh(form)
    if (grantType === jwtGrant) return this.#exchange(form.get('assertion') ?? '')
    return refusal(400, 'unsupported_grant_type', `Invalid grant_type: ${grantType ?? ''}`)
  }

  #refresh(form: URLSearchParams): TokenReply {
    const { clientId, clientSecret, refreshToken } = this.user
    if (form.get('client_id') !== clientId) {
      return refusal(401, 'invalid_client', 'The OAuth client was not found.')
    }
    if (form.get('client_secret') !== clientSecret) {
      return refusal(401, 'invalid_client', 'Unauthorized')
    }
    if (this.isRevoked || form.get('refresh_token') !== refreshToken) {
      return refusal(400, 'invalid_grant', 'Token has been expired or revoked.')
    }
    return this.#granted('user', { scope: tokenScope })
  }

  #exchange(assertion: string): TokenReply {
    const [head, claims, signature] = assertion.split('.')
    if (head === undefined || claims === undefined || signature === undefined) {
      return refusal(400, 'invalid_request', 'Bad JWT')
    }
    const isSigned =
      decode(head)?.alg === 'RS256' &&
      createVerify('RSA-SHA256')
        .update(`${head}.${claims}`)
        .verify(this.#keys.publicKey, Buffer.from(signature, 'base64url'))
    if (!isSigned) return refusal(400, 'invalid_grant', 'Invalid JWT Signature.')
    const mistake = this.#claimMistake(decode(claims) ?? {})
    if (mistake !== undefined) return refusal(400, mistake[0], mistake[1])
    // Domain-wide delegation: it acts as the named user.
    return this.#granted(decode(claims)?.sub === undefined ? 'service' : 'user', {})
  }

  #claimMistake(claims: Record<string, unknown>): readonly [string, string] | undefined {
    const nowSeconds = this.#clock.nowMs() / 1000
    const { iss, aud, scope, iat, exp } = claims
    if (iss !== this.serviceAccount.client_email) {
      return ['invalid_grant', 'Invalid grant: account not found']
    }
    if (aud !== this.tokenUrl && aud !== officialTokenUrl) {
      return ['invalid_grant', 'Invalid JWT: Failed audience check.']
    }
    if (typeof scope !== 'string' || !scope.includes('googleapis.com/auth/drive')) {
      return ['invalid_scope', 'Invalid OAuth scope or ID token audience provided.']
    }
    const isTimely =
      typeof iat === 'number' &&
      typeof exp === 'number' &&
      exp - iat <= longestAssertionSeconds &&
      exp > nowSeconds - allowedSkewSeconds &&
      iat < nowSeconds + allowedSkewSeconds
    if (isTimely) return undefined
    const message = 'Invalid JWT: Token must be a short-lived token (60 minutes)'
    return ['invalid_grant', message]
  }

  #granted(owner: Owner, more: Readonly<Record<string, string>>): TokenReply {
    const token = { expires_in: this.lifeSeconds, token_type: 'Bearer', ...more }
    return [200, { access_token: this.issue(owner), ...token }]
  }
}

function refusal(status: number, error: string, description: string): TokenReply {
  return [status, { error, error_description: description }]
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>
  } catch {
    // Not JSON: not a JWT.
    return undefined
  }
}
