import { z } from 'zod'
import { retryAfterMs } from '../../../../platform/process/back-off.ts'
import { untilAborted } from '../../../../platform/process/time-limit.ts'
import { parsedJson } from '../../../../platform/text/json-text.ts'
import type { DriveError } from '../../drive-error.ts'
import {
  type Clock,
  RetryPolicy,
  type RetryPolicyOptions,
  TransientError,
} from '../../kit/cloud/retry-policy.ts'
import { type GoogleCredentials, serviceAccountJwt } from './credentials.ts'
import { GoogleCredentialsRefused } from './google-failure.ts'
import type { GoogleHttp, HttpAnswer } from './google-http.ts'

/** Access to all files of the account, because files added by hand are objects as well. */
export const driveScope = 'https://www.googleapis.com/auth/drive'

interface AccessTokensOptions {
  readonly credentials: GoogleCredentials
  readonly tokenUrl: string
  readonly http: GoogleHttp
  readonly retryPolicy: RetryPolicyOptions
}

interface AccessToken {
  readonly text: string
  /** By Clock.elapsed. */
  readonly expiresAtMs: number
}

/** A token that expires sooner is not used, because a call takes time. */
const unusableMs = 60_000
/** For a token that expires sooner, the next one is fetched in the background. */
const earlyMs = 300_000
/** How long a refusal is kept, so that not every request sends invalid credentials again. */
const refusalMs = 30_000

const maxAnswerBytes = 64 * 1024

const tokenAnswer = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  expires_in: z.number().positive().max(86_400),
})
const refusalAnswer = z.object({
  error: z.string().regex(/^[\w.-]{1,64}$/),
  error_subtype: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .optional(),
})

/** The access token of one credential, shared by all calls and renewed once for all of them. */
export class AccessTokens {
  readonly #options: AccessTokensOptions
  readonly #clock: Clock
  #token: AccessToken | undefined
  #renewal: Promise<AccessToken> | undefined
  #refusal: { readonly error: DriveError; readonly untilMs: number } | undefined

  constructor(options: AccessTokensOptions) {
    this.#options = options
    this.#clock = options.retryPolicy.clock
  }

  /** @throws GoogleCredentialsRefused; DriveError; the signal's reason. */
  async get(signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted()
    const leftMs = (this.#token?.expiresAtMs ?? 0) - this.#clock.elapsed()
    if (this.#token === undefined || leftMs < unusableMs) {
      const renewed = this.#renewed()
      return (await (signal === undefined ? renewed : untilAborted(renewed, signal))).text
    }
    if (leftMs < earlyMs) {
      // Only a later call without a usable token reports the failure.
      this.#renewed().catch(() => undefined)
    }
    return this.#token.text
  }

  /** Call it if Google rejects this token, so that `get` fetches another one. */
  forget(text: string): void {
    if (this.#token?.text === text) this.#token = undefined
  }

  /** The error if Google rejects even a fresh token. */
  refused(): DriveError {
    return refusedBy('401', this.#options.credentials.kind)
  }

  /** One renewal at a time. No caller's signal aborts it, because others may be waiting for it. */
  #renewed(): Promise<AccessToken> {
    if (this.#refusal !== undefined && this.#clock.elapsed() < this.#refusal.untilMs) {
      return Promise.reject(this.#refusal.error)
    }
    this.#renewal ??= this.#fetch().finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  async #fetch(): Promise<AccessToken> {
    const retryPolicy = new RetryPolicy(this.#options.retryPolicy, {
      doing: 'issue an access token',
    })
    try {
      this.#token = await retryPolicy.persist(() => this.#ask())
      this.#refusal = undefined
      return this.#token
    } catch (error) {
      if (error instanceof GoogleCredentialsRefused) {
        this.#refusal = { error, untilMs: this.#clock.elapsed() + refusalMs }
      }
      throw error
    }
  }

  async #ask(): Promise<AccessToken> {
    const { http, tokenUrl } = this.#options
    const askedAtMs = this.#clock.elapsed()
    const answer = await http.send({
      method: 'POST',
      url: tokenUrl,
      limiter: 'calls',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(this.#grant(this.#clock.now())).toString(),
    })
    const text = await answer.text(maxAnswerBytes)
    if (answer.status !== 200) throw this.#failureOf(answer, text)
    const parsed = tokenAnswer.safeParse(parsedJson(text))
    if (!parsed.success) throw new TransientError('server', 'an invalid access token response')
    const { access_token, expires_in } = parsed.data
    return { text: access_token, expiresAtMs: askedAtMs + expires_in * 1000 }
  }

  #grant(nowMs: number): Record<string, string> {
    const { credentials, tokenUrl } = this.#options
    if (credentials.kind === 'refresh-token') {
      return {
        grant_type: 'refresh_token',
        client_id: credentials.clientId,
        client_secret: credentials.clientSecret,
        refresh_token: credentials.refreshToken,
      }
    }
    return {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: assertionOf(() =>
        serviceAccountJwt(credentials, { audience: tokenUrl, scope: driveScope, nowMs }),
      ),
    }
  }

  #failureOf(answer: HttpAnswer, text: string): Error {
    const { status } = answer
    if (status === 429 || status === 408 || status >= 500) {
      const waitMs = retryAfterMs(answer.header('retry-after'), this.#clock.now())
      return new TransientError(status === 429 ? 'rate' : 'server', String(status), {
        retryAfterMs: waitMs,
      })
    }
    const refusal = refusalAnswer.safeParse(parsedJson(text)).data
    const code = [refusal?.error ?? String(status), refusal?.error_subtype]
      .filter(Boolean)
      .join(' ')
    return refusedBy(code, this.#options.credentials.kind)
  }
}

const connectAgain = 'Run `bucketry connect google` to authorize again'

/** What to do, by Google's error code for a refused credential (RFC 6749 section 5.2). */
const advice: Readonly<Record<GoogleCredentials['kind'], Readonly<Record<string, string>>>> = {
  'refresh-token': {
    invalid_grant: `The refresh token is no longer valid: it was revoked, was unused for six months, or was issued while the consent screen was in "Testing", where tokens expire after 7 days. Set the app to "In production" in Google Cloud, then ${connectAgain.toLowerCase()}.`,
    invalid_client: `GDRIVE_CLIENT_ID or GDRIVE_CLIENT_SECRET is wrong, or the client was deleted in Google Cloud. Check them, then ${connectAgain.toLowerCase()}.`,
    unauthorized_client: `The refresh token was issued for a client ID other than GDRIVE_CLIENT_ID. ${connectAgain}.`,
  },
  'service-account': {
    invalid_grant:
      "The service account's key is deleted or disabled, or this machine's clock is off by more than a few minutes.",
    unauthorized_client:
      'The service account is not allowed to act for that user: grant it domain-wide delegation with the Google Drive scope in the admin console.',
  },
}

const otherwise: Readonly<Record<GoogleCredentials['kind'], string>> = {
  'refresh-token': `${connectAgain}.`,
  'service-account': 'Check the service account and its key in Google Cloud.',
}

function refusedBy(code: string, kind: GoogleCredentials['kind']): DriveError {
  const [word = ''] = code.split(' ')
  const what =
    (Object.hasOwn(advice[kind], word) ? advice[kind][word] : undefined) ?? otherwise[kind]
  return new GoogleCredentialsRefused(`Google refuses the credentials (${code}). ${what}`)
}

function assertionOf(sign: () => string): string {
  try {
    return sign()
  } catch (cause) {
    const message = `The service account can't be used: ${(cause as Error).message}.`
    throw new GoogleCredentialsRefused(message, { cause })
  }
}
