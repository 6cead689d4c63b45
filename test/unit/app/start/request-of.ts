import { Readable } from 'node:stream'
import type { HttpRequest } from '../../../../src/platform/http/message.ts'

/** A request as handlers see it, without a connection. */
export function requestOf(method: string, target: string): HttpRequest {
  const [rawPath = '/', ...rest] = target.split('?')
  return {
    id: '0123456789ABCDEF',
    method,
    rawPath,
    rawQuery: rest.join('?'),
    headers: {},
    rawHeaders: [],
    body: Readable.from([]),
    isSecure: false,
    remoteAddress: '192.0.2.1',
    receivedAtMs: 0,
    signal: new AbortController().signal,
    acceptBody: () => undefined,
    leaveWithClient: () => undefined,
    isKnown: true,
    markKnown: () => undefined,
  }
}
