import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { driveScope } from '../../drives/google/api/access-tokens.ts'
import { ConnectError } from '../connect-error.ts'

/** One person's consent being asked for: what ties Google's answer to the question. */
export interface Consent {
  /** Comes back with the answer; who does not know it can't answer. */
  readonly state: string
  /** Proves to Google that who exchanges the code also asked for it (PKCE, RFC 7636). */
  readonly verifier: string
}

export interface ConsentQuestion {
  /** Google's page of consent. */
  readonly authorizeUrl: string
  readonly clientId: string
  readonly redirectUri: string
}

export function newConsent(): Consent {
  return {
    state: randomBytes(24).toString('base64url'),
    verifier: randomBytes(48).toString('base64url'),
  }
}

/**
 * The address at which a person gives consent
 * (developers.google.com/identity/protocols/oauth2/native-app).
 */
export function consentUrl(
  { state, verifier }: Consent,
  { authorizeUrl, clientId, redirectUri }: ConsentQuestion,
): string {
  const parameters = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: driveScope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    access_type: 'offline',
    // Without it Google gives a refresh token for the first consent only.
    prompt: 'consent',
  })
  return `${authorizeUrl}?${parameters}`
}

/**
 * The code in the address that Google sends the browser to; undefined when the address is no answer
 * to this question.
 *
 * @throws ConnectError when the answer is no.
 */
export function codeOf({ state }: Consent, url: URL): string | undefined {
  if (!isSame(url.searchParams.get('state') ?? '', state)) return undefined
  const error = url.searchParams.get('error')
  if (error === null) return url.searchParams.get('code') ?? undefined
  if (error === 'access_denied') {
    throw new ConnectError(
      'Access was denied. If the consent screen is in "Testing", the account must be one of its test users.',
    )
  }
  throw new ConnectError(`Google rejected the authorization request (${word(error)}).`)
}

/** What Google says goes to a terminal: a word, or nothing. */
export function word(text: string): string {
  return /^[\w.-]{1,64}$/.test(text) ? text : 'unknown error'
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash('sha256').update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}
