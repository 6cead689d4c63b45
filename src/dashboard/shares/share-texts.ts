import { en, type VisitorTexts } from './texts/en.ts'

/** A refusal; its title and what to do are in the texts for visitors. */
export interface Refusal {
  readonly name: keyof VisitorTexts['refusals']
  readonly status: 400 | 403 | 404 | 405 | 409 | 410 | 411 | 413 | 415 | 429 | 503
}

export const refusals = {
  unknown: { name: 'unknown', status: 404 },
  revoked: { name: 'revoked', status: 410 },
  expired: { name: 'expired', status: 410 },
  used: { name: 'used', status: 410 },
  missing: { name: 'missing', status: 404 },
  full: { name: 'full', status: 413 },
  large: { name: 'large', status: 413 },
  type: { name: 'type', status: 415 },
  length: { name: 'length', status: 411 },
  name: { name: 'name', status: 400 },
  taken: { name: 'taken', status: 409 },
  guesses: { name: 'guesses', status: 429 },
  busy: { name: 'busy', status: 429 },
  locked: { name: 'locked', status: 403 },
  form: { name: 'form', status: 400 },
  method: { name: 'method', status: 405 },
  away: { name: 'away', status: 503 },
} as const satisfies { readonly [Name in Refusal['name']]: Refusal & { readonly name: Name } }

/** Why a visitor's request is refused. */
export class ShareRefusal extends Error {
  readonly refusal: Refusal
  /** For the log and the dashboard. */
  readonly reason: string
  readonly retryAfterSeconds: number | undefined
  /** The allowed methods (RFC 9110 section 15.5.6). */
  readonly allow: string | undefined

  constructor(
    refusal: Refusal,
    { reason, retryAfterSeconds, allow, ...options }: ErrorOptions & Partial<RefusalFacts> = {},
  ) {
    const { title } = en.refusals[refusal.name]
    super(title, options)
    this.name = 'ShareRefusal'
    this.refusal = refusal
    this.reason = reason ?? title
    this.retryAfterSeconds = retryAfterSeconds
    this.allow = allow
  }
}

interface RefusalFacts {
  readonly reason: string
  readonly retryAfterSeconds: number
  readonly allow: string
}

/** A name without characters that could make it look like another name: controls and directional marks. */
export function shownName(name: string): string {
  return (
    name.toWellFormed().replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd') || '?'
  )
}

/** The last segment of a key, without the trailing slash of a folder. */
export function nameOf(key: string): string {
  return key.replace(/\/$/, '').split('/').at(-1) ?? ''
}
