import { type Credentials, signHeaders } from './signed-request.ts'

export interface SignedFetch {
  readonly method: string
  /** `/bucket` or `/bucket/key`, escaped as sent; with a query if there is one. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly signal?: AbortSignal
  /** As that of RequestToSign. */
  readonly signedAtMs?: number
}

export interface Server {
  readonly host: string
  readonly credentials: Credentials
}

/** One request by plain fetch with a signature of our own. Never retried. */
export async function signedFetch(server: Server, request: SignedFetch): Promise<Response> {
  const { method, target, body, signal = null } = request
  const { host } = server
  const { host: _, ...headers } = signHeaders({ ...request, host }, server.credentials)
  const init = { method, headers, signal, ...(body === undefined ? {} : { body }) }
  return await fetch(`http://${host}${target}`, init)
}

/** `/bucket/key` with every character escaped but those that RFC 3986 leaves alone, and `/`. */
export function targetOf(bucket: string, key: string): string {
  const escaped = encodeURIComponent(key).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `/${bucket}/${escaped.replaceAll('%2F', '/')}`
}
