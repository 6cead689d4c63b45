import { fieldOf } from '../../platform/text/json-text.ts'
import { factsOfUpstream, type ModelFacts } from '../list/model-facts.ts'
import { isText } from '../list/stored-rows.ts'
import { UpstreamError, type UpstreamRequest } from './upstream.ts'

/** Decoded bytes, of all pages. A larger body is a failure (docs/contract/model-list.md, "Upstream limits"). */
const maxAnswerBytes = 8 * 1024 * 1024

/** More than any upstream has. Every list would contain all of them. */
export const maxIds = 20_000

const maxRedirects = 5
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The maximum bytes read of an error page, for the detail. */
const errorPageBytes = 2 * 1024

export interface UpstreamAnswer {
  readonly status: number
  readonly ids: readonly string[]
  /** Whether all pages could be read. */
  readonly isWhole: boolean
  /** Read when they are asked for: most lists need only the ids. */
  readonly facts: () => ReadonlyMap<string, ModelFacts>
}

/**
 * Asks an upstream for its model ids (docs/contract/model-list.md, "Upstream request").
 *
 * @param options.signal the timeout for connecting, headers and body together
 * @param options.wantsDetail whether a failure includes the text of the upstream
 * @throws UpstreamError in every case of failure.
 */
export async function askUpstream(
  request: UpstreamRequest,
  { signal, wantsDetail }: { readonly signal: AbortSignal; readonly wantsDetail: boolean },
): Promise<UpstreamAnswer> {
  const asked = { request, signal, wantsDetail, left: maxAnswerBytes }
  try {
    const { status, content } = await contentOf(asked)
    const elements = listedModels(content)
    if (elements === undefined) throw new UpstreamError('no-list', { status })
    const isWhole = await addPages(elements, content, asked)
    if (elements.size > maxIds) throw new UpstreamError('too-large', { status })
    const facts = () => new Map([...elements].map(([id, one]) => [id, factsOfUpstream(one, id)]))
    return { status, ids: [...elements.keys()], isWhole, facts }
  } catch (error) {
    if (error instanceof UpstreamError) throw error
    if (signal.aborted) throw new UpstreamError('timeout', { cause: error })
    throw new UpstreamError('unreachable', { ...systemCode(error), cause: error })
  }
}

/** Follows redirects manually, so that the key is sent only to the configured origin. */
async function exchange({ url, headers }: UpstreamRequest, signal: AbortSignal): Promise<Response> {
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

/** What the requests for the pages of one list have in common. */
interface Asked {
  readonly request: UpstreamRequest
  readonly signal: AbortSignal
  readonly wantsDetail: boolean
  /** Bytes that may still be read. */
  left: number
}

/** @throws UpstreamError */
async function contentOf(
  asked: Asked,
  url = asked.request.url,
): Promise<{ readonly status: number; readonly content: unknown }> {
  const response = await exchange({ ...asked.request, url }, asked.signal)
  if (!response.ok) throw await refusal(response, asked.wantsDetail)
  const { status } = response
  const text = await boundedText(response, asked)
  try {
    return { status, content: JSON.parse(text) }
  } catch (cause) {
    throw new UpstreamError('not-json', { status, cause })
  }
}

type Elements = Map<string, unknown>

/**
 * Adds the pages after the first one (https://platform.claude.com/docs/en/api/models/list). The first request has no
 * query (docs/contract/model-list.md, "Upstream request"), so its page is short. It counts if a later one fails.
 *
 * @returns whether the last page was read
 */
async function addPages(elements: Elements, first: unknown, asked: Asked): Promise<boolean> {
  const { url: firstUrl } = asked.request
  let page = first
  while (fieldOf(page, 'has_more') === true && elements.size <= maxIds) {
    const lastId = fieldOf(page, 'last_id')
    if (!isText(lastId)) return false
    const mark = firstUrl.includes('?') ? '&' : '?'
    const url = `${firstUrl}${mark}limit=1000&after_id=${encodeURIComponent(lastId)}`
    try {
      page = (await contentOf(asked, url)).content
    } catch {
      return false
    }
    const known = elements.size
    for (const [id, element] of listedModels(page) ?? []) elements.set(id, element)
    // A server that does not know after_id sends its first page again.
    if (elements.size === known) return true
  }
  return true
}

async function refusal(response: Response, wantsDetail: boolean): Promise<UpstreamError> {
  const { status } = response
  if (!wantsDetail) {
    await response.body?.cancel()
    return new UpstreamError('status', { status })
  }
  // A truncated or stalled page must not hide the status.
  const page = await beginningOf(response, errorPageBytes).catch(() => Buffer.of())
  return new UpstreamError('status', { status, detail: new TextDecoder().decode(page) })
}

/** Fetch puts the system error, such as ECONNREFUSED, into the cause of its own error. */
function systemCode(error: unknown): { readonly detail?: string } {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? { detail: code } : {}
}

/**
 * The text of a body of at most the bytes that are left, counted after decoding: neither a declared length nor a
 * small compressed body allows more.
 *
 * @throws UpstreamError too-large.
 */
async function boundedText(response: Response, asked: Asked): Promise<string> {
  const bytes = await beginningOf(response, asked.left + 1)
  asked.left -= bytes.length
  if (asked.left < 0) throw new UpstreamError('too-large', { status: response.status })
  return new TextDecoder().decode(bytes)
}

async function beginningOf(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the body, which closes its connection.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk.subarray(0, maxBytes - size))
    size += chunk.byteLength
    if (size >= maxBytes) break
  }
  return Buffer.concat(chunks)
}

/** Characters. Longer ids are dropped. */
export const maxIdLength = 500

/**
 * The models of an upstream's answer by their ids (docs/contract/model-list.md, "Upstream request"): an
 * array, or an object with the array in data, models or results.
 *
 * @returns undefined if there is no such array.
 */
export function listedModels(answer: unknown): Elements | undefined {
  const list = [
    answer,
    fieldOf(answer, 'data'),
    fieldOf(answer, 'models'),
    fieldOf(answer, 'results'),
  ]
  const elements = list.find((candidate) => Array.isArray(candidate))
  if (elements === undefined) return undefined
  const byId: Elements = new Map()
  for (const element of elements as readonly unknown[]) {
    // The next field is used if one is null, empty or missing.
    const id = fieldOf(element, 'id') || fieldOf(element, 'name') || fieldOf(element, 'model')
    // Blank or non-string ids are dropped; duplicates removed.
    if (isText(id) && id.length <= maxIdLength && !byId.has(id)) byId.set(id, element)
  }
  return byId
}
