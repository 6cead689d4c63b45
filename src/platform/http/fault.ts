import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpReply } from './message.ts'

/** Failures that are answered before a request reaches any protocol. */
export type HttpFault =
  /** Not HTTP, not one Host, broken framing of the body. */
  | 'malformed'
  /** The client ended its side within the header section or the body. */
  | 'cut-off'
  /** A TLS handshake where plain HTTP is spoken. */
  | 'tls-on-http-port'
  /** Plain HTTP where TLS is spoken. */
  | 'http-on-tls-port'
  /** A request target without a path, or with raw bytes that no URI has (RFC 3986 section 2). */
  | 'invalid-target'
  /** A method that the parser does not know. */
  | 'unknown-method'
  /** A body in a transfer coding other than chunked (RFC 9112 section 6.1). */
  | 'unknown-coding'
  /** The header section exceeds its limits in bytes or in fields. */
  | 'headers-too-large'
  /** The header section did not arrive in time. */
  | 'header-timeout'
  /** A handler rejected, or a body failed before its first byte: a bug or a broken disk. */
  | 'internal'

/** Renders a fault in the protocol's own form, such as an S3 error document. */
export type RenderFault = (fault: HttpFault, requestId: string) => HttpReply

/** An error of the parser of node:http. */
interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that it failed on, where it has them. */
  readonly rawPacket?: Uint8Array
}

/** Faults by the code of the error that node:http reports. */
const faultOfCode: Readonly<Record<string, HttpFault>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  HPE_INVALID_EOF_STATE: 'cut-off',
  HPE_INVALID_URL: 'invalid-target',
  HPE_INVALID_METHOD: 'unknown-method',
  ERR_HTTP_REQUEST_TIMEOUT: 'header-timeout',
}

/** The content type of TLS records with handshake messages (RFC 8446 section 5.1). */
export const tlsHandshakeRecord = 0x16

/** The fault behind an error of the parser; undefined when the connection itself broke. */
export function faultOf({ code = '', rawPacket }: ParserError): HttpFault | undefined {
  // No method begins with this byte, so the parser fails on it.
  if (code === 'HPE_INVALID_METHOD' && rawPacket?.[0] === tlsHandshakeRecord) {
    return 'tls-on-http-port'
  }
  return faultOfCode[code] ?? (code.startsWith('HPE_') ? 'malformed' : undefined)
}

/**
 * Answers where there is no ServerResponse, because the parser gave up or was never asked. Ends our
 * side; the caller takes care of what the client still sends.
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
