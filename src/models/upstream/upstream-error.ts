/** Why an upstream returned no list. */
type UpstreamFailure =
  | 'no-key'
  | 'no-base-url'
  | 'bad-key'
  | 'bad-url'
  | 'timeout'
  | 'unreachable'
  | 'redirect'
  | 'status'
  | 'too-large'
  | 'not-json'
  | 'no-list'

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
} as const satisfies Record<UpstreamFailure, string>

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
