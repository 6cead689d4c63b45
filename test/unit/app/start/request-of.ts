import { Readable } from 'node:stream'
import { clientOf } from '../../../../src/app/gateway/untrusted-proxies.ts'
import { type BegunReply, RequestRecord } from '../../../../src/app/telemetry/requests.ts'
import type { Outcome } from '../../../../src/platform/http/exchange.ts'
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

/** The record of a request that has ended, from a client that is not behind a proxy. */
export function recordOf(
  request: HttpRequest,
  outcome: Outcome,
  { trustProxy = [], begun }: { trustProxy?: readonly string[]; begun?: BegunReply } = {},
): RequestRecord {
  return new RequestRecord(request, outcome, clientOf({ trustProxy }), begun)
}
