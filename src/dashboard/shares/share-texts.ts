/** Texts for visitors, who have no account and may not know S3. */

export interface Refusal {
  readonly status: 400 | 403 | 404 | 405 | 409 | 410 | 411 | 413 | 415 | 429 | 503
  readonly title: string
  /** What happened and what to do. */
  readonly text: string
}

const askSender = 'Ask the person who sent it to you for a new link.'
const later = 'Try again in a minute.'

export const refusals = {
  unknown: {
    ...{ status: 404, title: 'This link does not exist' },
    text: `Check that its address is complete. ${askSender}`,
  },
  revoked: { status: 410, title: 'This link has ended', text: askSender },
  expired: { status: 410, title: 'This link has expired', text: askSender },
  used: {
    ...{ status: 410, title: 'This link has been used up' },
    text: `It could only be used a limited number of times. ${askSender}`,
  },
  missing: {
    ...{ status: 404, title: 'This file is no longer here' },
    text: 'It was moved or deleted. Ask the person who sent you the link.',
  },
  full: {
    ...{ status: 413, title: 'This link cannot take more files' },
    text: 'It has reached its limit. Ask the person who sent it to you.',
  },
  large: { status: 413, title: 'This file is too large', text: 'Send a smaller one.' },
  type: {
    ...{ status: 415, title: 'This type of file is not accepted here' },
    text: 'The page of the link lists the accepted types.',
  },
  length: { status: 411, title: 'The size of the file is missing', text: 'Send Content-Length.' },
  name: { status: 400, title: 'This name cannot be used', text: 'Rename the file and try again.' },
  taken: { status: 409, title: 'Another file has taken this name', text: 'Send the file again.' },
  guesses: {
    ...{ status: 429, title: 'Too many wrong passwords' },
    text: 'Wait a quarter of an hour, then try again.',
  },
  busy: { status: 429, title: 'Too many requests', text: 'Wait a moment, then try again.' },
  locked: { status: 403, title: 'This link has a password', text: 'Enter it on its page first.' },
  form: {
    ...{ status: 400, title: 'The password could not be read' },
    text: 'Open the link again and enter the password.',
  },
  method: { status: 405, title: 'This is not possible here', text: 'Open the link in a browser.' },
  away: { status: 503, title: 'This link does not work at the moment', text: later },
} as const satisfies Record<string, Refusal>

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
    super(refusal.title, options)
    this.name = 'ShareRefusal'
    this.refusal = refusal
    this.reason = reason ?? refusal.title
    this.retryAfterSeconds = retryAfterSeconds
    this.allow = allow
  }
}

interface RefusalFacts {
  readonly reason: string
  readonly retryAfterSeconds: number
  readonly allow: string
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** A size with three significant digits. */
export function sizeText(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(5, Math.floor(Math.log2(bytes) / 10))
  if (power === 0) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  return `${Number((bytes / 1024 ** power).toPrecision(3))} ${units[power]}`
}

/** Created on first use, because they would add milliseconds to every start. */
let moments: Intl.DateTimeFormat | undefined
let days: Intl.DateTimeFormat | undefined

export function momentText(atMs: number): string {
  moments ??= new Intl.DateTimeFormat('en-GB', {
    ...{ dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' },
  })
  return `${moments.format(atMs)} UTC`
}

export function dayText(atMs: number): string {
  days ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
  return days.format(atMs)
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
