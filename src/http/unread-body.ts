import type { IncomingMessage } from 'node:http'

/** What the client still sends when the reply is ready. */
export type UnreadBody =
  /** Nothing: the connection serves the next request. */
  | 'none'
  /** So little that reading it costs less than a new connection. */
  | 'small'
  /** Much, or of unknown length, or perhaps never sent (`Expect: 100-continue` without the 100). */
  | 'large'

const smallBytes = 64 * 1024

/** How long and how much is read and thrown away so that the client gets to see its reply. */
const lingerMs = 2_000
const lingerBytes = 1024 * 1024

export function unreadBodyOf(incoming: IncomingMessage, isAwaitingContinue: boolean): UnreadBody {
  if (incoming.complete) return 'none'
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers
  // RFC 9112 section 6.3: a request with neither has no body.
  if (encoding === undefined && (length === undefined || Number(length) === 0)) return 'none'
  if (isAwaitingContinue || encoding !== undefined) return 'large'
  return Number(length) <= smallBytes ? 'small' : 'large'
}

/**
 * Reads what is left of a body and forgets it. Resolves with whether the end was reached within
 * the limits; the caller closes the connection when it was not (RFC 9112 section 9.6: closing with
 * unread bytes resets the connection and can destroy the reply on its way).
 */
export function discardRest(incoming: IncomingMessage): Promise<boolean> {
  if (incoming.complete || incoming.destroyed) return Promise.resolve(incoming.complete)
  incoming.removeAllListeners('readable')
  incoming.removeAllListeners('data')
  return new Promise((resolve) => {
    let bytes = 0
    const settle = () => {
      clearTimeout(timer)
      incoming.off('data', count)
      incoming.off('end', settle)
      incoming.off('close', settle)
      resolve(incoming.complete)
    }
    const count = (chunk: Uint8Array) => {
      bytes += chunk.length
      if (bytes > lingerBytes) settle()
    }
    const timer = setTimeout(settle, lingerMs)
    incoming.on('data', count)
    incoming.on('end', settle)
    incoming.on('close', settle)
    incoming.resume()
  })
}
