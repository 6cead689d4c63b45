import type { UpstreamFlavour } from './flavour.ts'
import { UpstreamError } from './upstream-error.ts'

/** The upstream fields of a connection. */
export interface Upstream {
  readonly flavour: UpstreamFlavour
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
}

/** A request that is ready to send. */
export interface UpstreamRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The request of docs/contract/model-list.md, "Upstream request".
 *
 * @throws UpstreamError no-key, no-base-url, bad-key or bad-url, before anything is sent.
 */
export function upstreamRequest({ flavour, baseUrl, apiKey }: Upstream): UpstreamRequest {
  // White space around a pasted key or URL is never intended.
  const key = apiKey?.trim() ?? ''
  const base = baseUrl?.trim() ?? ''
  if (key === '') throw new UpstreamError('no-key')
  if (base === '') throw new UpstreamError('no-base-url')
  // Checked here because the error of fetch would repeat the key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UpstreamError('bad-key')
  const url = modelsUrl(base, flavour)
  if (!isUpstreamUrl(url)) throw new UpstreamError('bad-url')
  return { url, headers: headersOf(flavour, key) }
}

/** How an upstream gets its key. */
const credentialsOf = {
  openai: (key) => ({ Authorization: `Bearer ${key}` }),
  anthropic: (key) => ({ 'x-api-key': key, Authorization: `Bearer ${key}` }),
} as const satisfies Record<UpstreamFlavour, (key: string) => Readonly<Record<string, string>>>

/** What Anthropic's API requires, if the client of a call does not say it. */
export const anthropicVersion = { 'anthropic-version': '2023-06-01' } as const

function headersOf(flavour: UpstreamFlavour, key: string): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'application/json',
    ...(flavour === 'anthropic' && anthropicVersion),
    ...credentialsOf[flavour](key),
  }
}

/**
 * Where a call goes, and its credentials. Unlike a list, a call may go to an upstream without a key, such as one on
 * this machine.
 *
 * @param path below `/v1`
 * @throws UpstreamError no-base-url, bad-key or bad-url
 */
export function callTarget({ flavour, baseUrl, apiKey }: Upstream, path: string): UpstreamRequest {
  const key = apiKey?.trim() ?? ''
  const base = baseUrl?.trim() ?? ''
  if (base === '') throw new UpstreamError('no-base-url')
  if (!/^[\x21-\x7e]*$/.test(key)) throw new UpstreamError('bad-key')
  const withoutSlash = base.replace(/\/$/, '')
  // As for the list: an Anthropic-compatible base URL may name the messages.
  const url = `${flavour === 'anthropic' ? withoutSlash.replace(/\/messages$/, '') : withoutSlash}${path}`
  if (!isUpstreamUrl(url)) throw new UpstreamError('bad-url')
  return { url, headers: key === '' ? {} : credentialsOf[flavour](key) }
}

function modelsUrl(base: string, flavour: UpstreamFlavour): string {
  const withoutSlash = base.replace(/\/$/, '')
  // Anthropic-compatible: a base URL ending in /messages is changed to end in /models.
  if (flavour === 'anthropic' && withoutSlash.endsWith('/messages')) {
    return withoutSlash.replace(/\/messages$/, '/models')
  }
  // <baseUrl without a trailing slash>/models
  return `${withoutSlash}/models`
}

/**
 * Whether this is a valid upstream URL. Fetch rejects URLs with credentials (Fetch standard,
 * "Request class"), and also supports data: URLs.
 */
export function isUpstreamUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false
  return url.username === '' && url.password === ''
}
