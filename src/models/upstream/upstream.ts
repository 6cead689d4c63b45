/** The API of an upstream. */
export type UpstreamFlavour = 'openai' | 'anthropic'

/** Where a provider of the catalogue lists its models. Used only for connection tests. */
export interface ModelsApi {
  readonly flavour: UpstreamFlavour
  /** The models are at `<baseUrl>/models`. */
  readonly baseUrl: string
}

/**
 * The beginning of the provider id says which API the provider has
 * (docs/contract/model-list.md, "Ids from the upstream").
 */
const prefixOfFlavour = {
  openai: 'openai-compatible-',
  anthropic: 'anthropic-compatible-',
} as const satisfies Record<UpstreamFlavour, string>

/** Undefined for providers that are not queried. */
export function compatibleFlavour(providerId: string): UpstreamFlavour | undefined {
  if (providerId.startsWith(prefixOfFlavour.openai)) return 'openai'
  if (providerId.startsWith(prefixOfFlavour.anthropic)) return 'anthropic'
  return undefined
}

/**
 * A separator and eight or more hexadecimal characters at the end of a provider id
 * (docs/contract/model-list.md, "Ids from the upstream").
 */
export const hexEnding = /[-_][0-9a-f]{8,}$/i

/** Why an upstream returned no list. */
const messageOf = {
  'no-key': 'The connection has no API key.',
  'no-base-url': 'The connection has no base URL.',
  'bad-key': 'The API key contains characters that are not allowed in an HTTP header.',
  'bad-url': 'The base URL is not an http or https URL, or contains a user name or password.',
  timeout: 'The upstream did not answer in time.',
  unreachable: 'The upstream cannot be reached.',
  redirect: 'The upstream redirects to another origin, too many times, or without a target.',
  status: 'The upstream answered with an error.',
  'too-large': 'The response of the upstream is too large.',
  'not-json': 'The upstream answered with something that is not JSON.',
  'no-list': 'The upstream answered with JSON that contains no list of models.',
} as const

type UpstreamFailure = keyof typeof messageOf

/** An upstream returned no list. Message and fields never contain the key. */
export class UpstreamError extends Error {
  readonly code: UpstreamFailure
  /** HTTP status, if there was a response. */
  readonly status: number | undefined
  /** A system error code, or the beginning of an error page. */
  readonly detail: string | undefined

  constructor(
    code: UpstreamFailure,
    { status, detail, ...options }: ErrorOptions & { status?: number; detail?: string } = {},
  ) {
    super(messageOf[code], options)
    this.name = 'UpstreamError'
    this.code = code
    this.status = status
    this.detail = detail
  }
}

/** The upstream fields of a connection. */
export interface Upstream {
  readonly flavour: UpstreamFlavour
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
}

/** Shorter secrets, such as the key `x` for a server without keys, are parts of ordinary words. */
export const minSecretLength = 8

/** What no answer may contain. A value of a header field may be a secret, alone or after its scheme (RFC 9110 section 11.4). */
export function secretsOf(
  apiKey: string | undefined,
  values: readonly string[],
): readonly string[] {
  const key = apiKey?.trim() ?? ''
  const secrets = values.map((value) => value.replace(/^(basic|bearer|key|token) +/i, ''))
  return [
    ...(key === '' ? [] : [key]),
    ...secrets.filter(({ length }) => length >= minSecretLength),
  ]
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
export function upstreamRequest(upstream: Upstream): UpstreamRequest {
  const { flavour, apiKey = '' } = upstream
  if (apiKey.trim() === '') throw new UpstreamError('no-key')
  const { url, headers } = callTarget(upstream, '/models')
  const version = flavour === 'anthropic' ? anthropicVersion : {}
  return { url, headers: { 'Content-Type': 'application/json', ...version, ...headers } }
}

/** The fields that carry the key. */
const credentialsOf = {
  openai: (key) => ({ Authorization: `Bearer ${key}` }),
  anthropic: (key) => ({ 'x-api-key': key, Authorization: `Bearer ${key}` }),
} as const satisfies Record<UpstreamFlavour, (key: string) => Readonly<Record<string, string>>>

/** Required by Anthropic's API; used if the client does not send it. */
export const anthropicVersion = { 'anthropic-version': '2023-06-01' } as const

/**
 * The URL and the credentials of a call. Unlike a list request, a call may have no key: a local upstream may need none.
 *
 * @param path below `/v1`
 * @param rawQuery of the client
 * @throws UpstreamError no-base-url, bad-key or bad-url
 */
export function callTarget(
  { flavour, baseUrl = '', apiKey = '' }: Upstream,
  path: string,
  rawQuery = '',
): UpstreamRequest {
  // White space around a pasted key or URL is never intended.
  const key = apiKey.trim()
  const base = baseUrl.trim()
  if (base === '') throw new UpstreamError('no-base-url')
  // Checked here because the error of fetch would repeat the key.
  if (!/^[\x21-\x7e]*$/.test(key)) throw new UpstreamError('bad-key')
  const url = urlBelow(base, flavour, path, rawQuery)
  if (!isUpstreamUrl(url)) throw new UpstreamError('bad-url')
  return { url, headers: key === '' ? {} : credentialsOf[flavour](key) }
}

/**
 * The URL of a path below a base URL. The query of the base URL, such as Azure's `?api-version=preview`, comes after the
 * path. The client cannot replace its parameters.
 */
function urlBelow(base: string, flavour: UpstreamFlavour, path: string, rawQuery: string): string {
  const mark = base.indexOf('?')
  const [address, own] = mark < 0 ? [base, ''] : [base.slice(0, mark), base.slice(mark + 1)]
  const withoutSlash = address.replace(/\/$/, '')
  // Anthropic-compatible: a base URL may end in /messages.
  const root = flavour === 'anthropic' ? withoutSlash.replace(/\/messages$/, '') : withoutSlash
  const query = own === '' ? rawQuery : [own, ...besides(own, rawQuery)].join('&')
  return `${root}${path}${query === '' ? '' : `?${query}`}`
}

/** The parameters of a query that another query does not have, whatever the upstream takes for the same name. */
function besides(own: string, rawQuery: string): readonly string[] {
  const names = new Set(namesIn(own))
  const isOwn = (name: string) => names.has(name)
  return rawQuery.split('&').filter((pair) => pair !== '' && !namesIn(pair).some(isOwn))
}

/**
 * The names in a query, decoded once. ASP.NET, which Azure uses, ignores their case; PHP reads `a.b` and `a b` as `a_b`, and
 * `a[]` and `a%00` as `a`; older parsers split pairs at semicolons as well.
 */
function namesIn(query: string): readonly string[] {
  const parts = [query, ...query.split(';')].flatMap((part) => [
    ...new URLSearchParams(part).keys(),
  ])
  return parts.map((name) =>
    name
      .trim()
      .toLowerCase()
      .replace(/[[\0].*/s, '')
      .replace(/\W/g, '_'),
  )
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
