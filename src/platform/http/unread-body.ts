import type { IncomingMessage } from 'node:http'
import { freeMemory } from '../process/free-memory.ts'

/** The unread input when the reply is ready. */
export type UnreadBody =
  /** Nothing: the connection serves the next request. */
  | 'none'
  /** So little that reading it costs less than a new connection. */
  | 'small'
  /** Much, or of unknown length. */
  | 'large'
  /** The client waits for `100 Continue` and has sent nothing: it is expected to leave. */
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
  // A client that waited too long for the 100 sends its body anyway.
  if (isAwaitingContinue) return incoming.readableLength === 0 ? 'withheld' : 'large'
  return isKept && encoding === undefined && Number(length) <= smallBytes ? 'small' : 'large'
}

/**
 * Reads what is left of a body and discards it. Resolves with whether the end was reached; else the
 * connection has closed. `Lingering` bounds the time.
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
