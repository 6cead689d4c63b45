import { beginningOf, boundedText } from './bounded-text.ts'
import { listedIds } from './listed-ids.ts'
import { UpstreamError } from './upstream-error.ts'
import type { UpstreamRequest } from './upstream-request.ts'

/** Decoded bytes. A larger body is a failure (docs/contract/model-list.md, "Upstream limits"). */
export const maxBodyBytes = 8 * 1024 * 1024

/** More than any upstream has; every list would carry them all. */
const maxIds = 20_000

const maxRedirects = 5
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** What is read of the page of an error, when somebody wants to see it. */
const errorPageBytes = 2 * 1024

export interface UpstreamAnswer {
  readonly status: number
  readonly ids: readonly string[]
}

export interface AskOptions {
  /** The timeout, over connecting, headers and body together. */
  readonly signal: AbortSignal
  /** Whether a failure is to tell what the upstream said. */
  readonly wantsDetail: boolean
}

/**
 * Asks an upstream for its model ids (docs/contract/model-list.md, "Upstream request").
 *
 * @throws UpstreamError in every case of failure.
 */
export async function askUpstream(
  request: UpstreamRequest,
  options: AskOptions,
): Promise<UpstreamAnswer> {
  try {
    const response = await exchange(request, options)
    if (!response.ok) throw await refusal(response, options.wantsDetail)
    return { status: response.status, ids: await idsOf(response) }
  } catch (error) {
    if (error instanceof UpstreamError) throw error
    if (options.signal.aborted) throw new UpstreamError('timeout', { cause: error })
    throw new UpstreamError('unreachable', { ...systemCode(error), cause: error })
  }
}

/** Redirects are followed by hand: the key goes to the origin that a person gave it to, only. */
async function exchange(
  { url, headers }: UpstreamRequest,
  { signal }: AskOptions,
): Promise<Response> {
  const { origin } = new URL(url)
  let target = url
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await fetch(target, {
      headers,
      cache: 'no-store',
      redirect: 'manual',
      signal,
    })
    if (!redirectStatuses.has(response.status)) return response
    await response.body?.cancel()
    const given = response.headers.get('location')
    const location = given === null ? null : URL.parse(given, target)
    if (location?.origin !== origin) {
      throw new UpstreamError('redirect', { status: response.status })
    }
    target = location.href
  }
  throw new UpstreamError('redirect')
}

async function idsOf(response: Response): Promise<readonly string[]> {
  const { status } = response
  const text = await boundedText(response, maxBodyBytes)
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch (cause) {
    throw new UpstreamError('not-json', { status, cause })
  }
  const ids = listedIds(answer)
  if (ids === undefined) throw new UpstreamError('no-list', { status })
  if (ids.length > maxIds) throw new UpstreamError('too-large', { status })
  return ids
}

async function refusal(response: Response, wantsDetail: boolean): Promise<UpstreamError> {
  const { status } = response
  if (!wantsDetail) {
    await response.body?.cancel()
    return new UpstreamError('status', { status })
  }
  // A page that breaks off or stalls does not hide its status.
  const detail = await beginningOf(response, errorPageBytes).catch(() => '')
  return new UpstreamError('status', { status, detail })
}

/** Fetch hides the error of the system, such as ECONNREFUSED, in the cause of its own. */
function systemCode(error: unknown): { readonly detail?: string } {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? { detail: code } : {}
}
