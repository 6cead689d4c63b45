import type { IncomingMessage } from 'node:http'
import { freeMemory } from '../process/buffers.ts'
import type { HttpFault } from './fault.ts'

interface RequestTarget {
  readonly rawPath: string
  readonly rawQuery: string
}

/** `http://host/path`, which clients send to proxies and every server must accept (RFC 9112 section 3.2.2). */
const absoluteForm = /^https?:\/\/[^/?#]+/i

/**
 * Splits a request target at its first `?`. In the absolute form, only what follows the authority counts. Undefined for
 * a target without a path, such as `*` or `host:port`.
 */
export function parseRequestTarget(target: string): RequestTarget | undefined {
  const local = target.startsWith('/') ? target : withoutAuthority(target)
  if (local === undefined) return undefined
  const question = local.indexOf('?')
  if (question < 0) return { rawPath: local, rawQuery: '' }
  return { rawPath: local.slice(0, question), rawQuery: local.slice(question + 1) }
}

function withoutAuthority(target: string): string | undefined {
  const authority = absoluteForm.exec(target)?.[0]
  if (authority === undefined) return undefined
  const rest = target.slice(authority.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Maximum number of fields in a header section. */
export const maxHeaderFields = 1_000

/**
 * Whether the next request may be lost or misread, so this one must be the connection's last. After a request with
 * Upgrade, which is ignored here as RFC 9110 section 7.8 allows, node:http drops the rest of a read. RFC 9112 section 6.1
 * requires closing the connection after chunks in HTTP/1.0, which a proxy may have misread.
 */
export function hidesWhatFollows({ headers, httpVersion }: IncomingMessage): boolean {
  return (
    headers.upgrade !== undefined ||
    (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined)
  )
}

export function faultOfHead(incoming: IncomingMessage): HttpFault | undefined {
  const { rawHeaders, httpVersion, headers } = incoming
  if (rawHeaders.length > 2 * maxHeaderFields) return 'headers-too-large'
  // RFC 9112 section 3.2: several Host headers are answered with 400, and in HTTP/1.1 none as well.
  const hosts = countHosts(rawHeaders)
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return 'malformed'
  const coding = headers['transfer-encoding']
  return coding === undefined || coding.toLowerCase() === 'chunked' ? undefined : 'unknown-coding'
}

/** node:http returns only the first Host; a proxy may have used another one. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}

/** How much of the body is unread when the reply is ready. */
export type UnreadBody =
  /** Nothing, so the connection can serve the next request. */
  | 'none'
  /** So little that reading it costs less than a new connection. */
  | 'small'
  /** Too much to read, or of unknown length. */
  | 'large'
  /** All of it: the client waits for `100 Continue`, and will probably disconnect. */
  | 'withheld'

const smallBytes = 64 * 1024

/** @param state.isKept whether the connection could serve another request */
export function unreadBodyOf(
  incoming: IncomingMessage,
  {
    isAwaitingContinue,
    isKept,
  }: { readonly isAwaitingContinue: boolean; readonly isKept: boolean },
): UnreadBody {
  if (incoming.complete) return 'none'
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers
  // RFC 9112 section 6.3: a request with neither has no body.
  if (encoding === undefined && (length === undefined || Number(length) === 0)) return 'none'
  // A client that has waited too long for the 100 sends its body anyway.
  if (isAwaitingContinue) return incoming.readableLength === 0 ? 'withheld' : 'large'
  return isKept && encoding === undefined && Number(length) <= smallBytes ? 'small' : 'large'
}

/**
 * Reads and discards the rest of a body. Resolves with whether its end was reached; otherwise the connection has closed.
 * `Lingering` limits the time.
 */
export function discardRest(incoming: IncomingMessage): Promise<boolean> {
  if (incoming.complete || incoming.destroyed) return Promise.resolve(incoming.complete)
  incoming.removeAllListeners('readable')
  incoming.removeAllListeners('data')
  return new Promise((resolve) => {
    const finish = () => {
      incoming.off('data', freeMemory)
      incoming.off('end', finish)
      incoming.off('close', finish)
      resolve(incoming.complete)
    }
    incoming.on('data', freeMemory)
    incoming.on('end', finish)
    incoming.on('close', finish)
    incoming.resume()
  })
}
