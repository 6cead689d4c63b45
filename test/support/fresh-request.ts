import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface FreshRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The address it comes from: any of 127.0.0.0/8 (Linux), so that a test can be several clients. */
  readonly from?: string
}

export interface FreshReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/**
 * One request on a new connection. The primary deals connections to its workers in turn
 * (docs/decisions/0007-round-robin-workers.md), so that requests one after the other reach all of them.
 */
export async function freshRequest(url: string, options: FreshRequest = {}): Promise<FreshReply> {
  const { method = 'GET', headers = {}, body, from } = options
  const outgoing = request(url, {
    ...{ method, agent: false },
    // Node adds none to a DELETE, and the body would be the next request.
    headers:
      body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
    ...(from === undefined ? {} : { localAddress: from }),
  })
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  const content = await text(incoming)
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text: content }
}

/** The same request on `count` connections, one after the other. */
export async function freshRequests(
  count: number,
  url: string,
  options: FreshRequest = {},
): Promise<FreshReply[]> {
  const replies: FreshReply[] = []
  for (let turn = 0; turn < count; turn++) replies.push(await freshRequest(url, options))
  return replies
}
