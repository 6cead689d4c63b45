import { Readable } from 'node:stream'
import type { HttpRequest } from '../../../../src/platform/http/message.ts'

export interface FakeRequest {
  readonly method?: string
  /** Path and query as on the request line. */
  readonly target?: string
  /** In order, as sent; an array repeats the header. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Name, value, name, value …: instead of `headers`. */
  readonly rawHeaders?: readonly string[]
  readonly body?: Readable | readonly Uint8Array[]
  readonly acceptBody?: () => void
}

/** An HttpRequest as src/platform/http would create it from the same bytes. */
export function fakeRequest(fake: FakeRequest): HttpRequest {
  const { method = 'GET', target = '/', headers = {}, body = [] } = fake
  const question = target.indexOf('?')
  const rawHeaders =
    fake.rawHeaders ??
    Object.entries(headers).flatMap(([name, values]) =>
      [values].flat().flatMap((value) => [name, value]),
    )
  return {
    id: 'test',
    method,
    rawPath: question < 0 ? target : target.slice(0, question),
    rawQuery: question < 0 ? '' : target.slice(question + 1),
    headers: nodeHeaders(rawHeaders),
    rawHeaders,
    body: body instanceof Readable ? body : Readable.from(body),
    isSecure: false,
    remoteAddress: '127.0.0.1',
    receivedAtMs: 0,
    signal: new AbortController().signal,
    leaveWithClient: () => undefined,
    isKnown: true,
    markKnown: () => undefined,
    acceptBody: fake.acceptBody ?? (() => undefined),
  }
}

/** node:http keeps the first value of these (https://nodejs.org/api/http.html#messageheaders). */
const singleValued = new Set(['authorization', 'content-type', 'host', 'user-agent'])

/** Lower-case names, repeats joined, values trimmed: as node:http does. */
function nodeHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase()
    const value = trimmed(rawHeaders[i + 1] ?? '')
    if (headers[name] === undefined) headers[name] = value
    else if (!singleValued.has(name)) headers[name] = `${headers[name]}, ${value}`
  }
  return headers
}

/** Without the white space of HTTP around it, in linear time: a regular expression takes seconds for 60 KB of it. */
function trimmed(value: string): string {
  let end = value.length
  while (end > 0 && ' \t'.includes(value.charAt(end - 1))) end -= 1
  return value.slice(0, end).replace(/^[ \t]+/, '')
}
