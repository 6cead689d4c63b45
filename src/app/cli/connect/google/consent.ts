import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { driveScope } from '../../../../storage/drives/google/api/access-tokens.ts'
import { ConnectError } from '../../command.ts'

/** A pending consent request, with the secrets that tie Google's answer to it. */
export interface Consent {
  /** Returned with the response, so that nobody else can forge a response. */
  readonly state: string
  /**
   * Proves to Google that the code is exchanged by the process that requested it (PKCE, RFC 7636).
   */
  readonly verifier: string
}

interface ConsentQuestion {
  /** Google's consent page. */
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
 * The address at which the user grants access
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
    // Otherwise, Google returns a refresh token only for the first consent.
    prompt: 'consent',
  })
  return `${authorizeUrl}?${parameters}`
}

/**
 * The code in the address that Google redirects the browser to; undefined when the address does not
 * answer this request.
 *
 * @throws ConnectError when access is denied.
 */
export function consentCodeOf({ state }: Consent, url: URL): string | undefined {
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

/** Google's text is shown in a terminal, so only a single word is accepted. */
export function word(text: string): string {
  return /^[\w.-]{1,64}$/.test(text) ? text : 'unknown error'
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash('sha256').update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}
