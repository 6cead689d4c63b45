import type {
  PresignBody,
  PresignReply,
} from '../../../src/dashboard/management/management-schemas.ts'
import { afterSignIn } from '../session/after-sign-in.ts'
import { sessionStore } from '../session/session-store.ts'
import { frameTexts } from '../texts/frame.ts'
import { ApiError, toApiError, unreachable } from './api-error.ts'

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal | undefined
  /** Default: no-store. */
  readonly cache?: 'default' | 'no-store'
}

/**
 * Sends a request with the session token. `path` begins with a slash and is already encoded.
 * Returns the JSON of the response, or undefined without a body (204).
 *
 * If the session has expired, the sign-in form appears, and the request is sent again after sign-in.
 *
 * @throws ApiError
 */
export function request<Reply>(path: string, options: RequestOptions = {}): Promise<Reply> {
  return inSession((token) => send<Reply>(path, { ...options, token }))
}

/** The same for a reply whose body is read as it arrives. @throws ApiError */
export function requestStream(path: string, options: RequestOptions): Promise<Response> {
  return inSession((token) => sendForReply(path, { ...options, token }))
}

/**
 * Runs work with the session token. If the work throws an ApiError with status 401, the sign-in form appears, and the
 * work is repeated after sign-in.
 */
export function inSession<Result>(work: (token: string) => Promise<Result>): Promise<Result> {
  return afterSignIn(() => workOnce(work))
}

async function workOnce<Result>(work: (token: string) => Promise<Result>): Promise<Result> {
  const token = sessionStore.token
  if (token === undefined) throw new ApiError(frameTexts.signInFirst, { status: 401 })
  try {
    return await work(token)
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) sessionStore.expire(token)
    throw error
  }
}

/** A presigned URL for one S3 request. */
export function presign(body: PresignBody, signal?: AbortSignal): Promise<PresignReply> {
  return request('/-/api/presign', { method: 'POST', body, signal })
}

/** Path and query of a URL, unchanged: `new URL` would remove `..` from a key. */
export function ownPath(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/]+/i, '')
}

interface SendOptions extends RequestOptions {
  readonly token?: string
}

/** Sends a request without a session, or with the given token. @throws ApiError */
export async function send<Reply>(path: string, options: SendOptions): Promise<Reply> {
  return (await jsonOf(await sendForReply(path, options))) as Reply
}

/** The header field of a request with a session. */
export function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` }
}

async function sendForReply(path: string, options: SendOptions): Promise<Response> {
  const { method = 'GET', body, query, signal = null, token, cache = 'no-store' } = options
  const reply = await fetch(path + queryString(query), {
    method,
    signal,
    cache,
    credentials: 'omit',
    headers: {
      ...(token !== undefined && bearer(token)),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw isAbort(error) ? error : unreachable(error)
  })
  if (!reply.ok) throw toApiError(reply, await jsonOf(reply))
  return reply
}

async function jsonOf(reply: Response): Promise<unknown> {
  try {
    const text = await reply.text()
    return text === '' ? undefined : JSON.parse(text)
  } catch (error) {
    if (isAbort(error)) throw error
    // Not JSON, or truncated: only the status is known.
    if (!reply.ok) return undefined
    throw unreachable(error)
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

function queryString(query: RequestOptions['query']): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
