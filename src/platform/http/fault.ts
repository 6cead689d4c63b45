import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpReply } from './message.ts'

/** Failures that are answered before a request reaches a protocol. */
export type HttpFault =
  /** Not HTTP, no or several Host headers, or invalid framing of the body. */
  | 'malformed'
  /** The client ended its side in the header section or the body. */
  | 'cut-off'
  /** A TLS handshake with a plain HTTP server. */
  | 'tls-on-http-port'
  /** Plain HTTP with a TLS server. */
  | 'http-on-tls-port'
  /** A request target without a path, or with bytes that a URI cannot contain (RFC 3986 section 2). */
  | 'invalid-target'
  /** A method that node:http does not know. */
  | 'unknown-method'
  /** A body in a transfer coding other than chunked (RFC 9112 section 6.1). */
  | 'unknown-coding'
  /** The header section has too many bytes or fields. */
  | 'headers-too-large'
  /** The header section did not arrive in time. */
  | 'header-timeout'
  /** A handler rejected, or the body of a reply failed before its first byte. */
  | 'internal'

/** Renders a fault as a reply of the protocol, such as an S3 error document. */
export type RenderFault = (fault: HttpFault, requestId: string) => HttpReply

/** An error of the parser of node:http. */
interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that it failed on, if known. */
  readonly rawPacket?: Uint8Array
}

/** Faults by the error codes of node:http. */
const faultOfCode: Readonly<Record<string, HttpFault>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  HPE_INVALID_EOF_STATE: 'cut-off',
  HPE_INVALID_URL: 'invalid-target',
  HPE_INVALID_METHOD: 'unknown-method',
  ERR_HTTP_REQUEST_TIMEOUT: 'header-timeout',
}

/** The content type of TLS records with handshake messages (RFC 8446 section 5.1). */
export const tlsHandshakeRecord = 0x16

/** The fault of a parser error; undefined if the connection failed. */
export function faultOf({ code = '', rawPacket }: ParserError): HttpFault | undefined {
  // No method begins with this byte, so the parser fails on it.
  if (code === 'HPE_INVALID_METHOD' && rawPacket?.[0] === tlsHandshakeRecord) {
    return 'tls-on-http-port'
  }
  return faultOfCode[code] ?? (code.startsWith('HPE_') ? 'malformed' : undefined)
}

/**
 * Replies without a ServerResponse, because the parser failed or was not used. Ends our side of the connection; the
 * caller handles what the client still sends.
 */
export function answerRaw(socket: Socket, reply: HttpReply): void {
  socket.end(serialize(reply))
}

function serialize({ status, headers, body }: HttpReply): Buffer {
  const content = typeof body === 'string' ? Buffer.from(body) : Buffer.alloc(0)
  const fields = [
    ...headers,
    ['Date', new Date().toUTCString()],
    ['Content-Length', String(content.length)],
    ['Connection', 'close'],
  ]
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const statusLine = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
  return Buffer.concat([Buffer.from(`${statusLine}${head}\r\n`, 'latin1'), content])
}
