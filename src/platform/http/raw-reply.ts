import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpReply } from './message.ts'

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
