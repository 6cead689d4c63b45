import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpReply } from './message.ts'

/** As in unread-body.ts: how long and how much is read so that the client gets to see the reply. */
const lingerMs = 2_000
const lingerBytes = 1024 * 1024

/** Sockets that were answered and only live on until their client has read that. */
const answered = new WeakMap<Socket, number>()

/**
 * Whether the socket had its last reply. Its further bytes are errors again; they are ignored, up
 * to a limit.
 */
export function isAnswered(socket: Socket): boolean {
  const bytesAtReply = answered.get(socket)
  if (bytesAtReply === undefined) return false
  if (socket.bytesRead - bytesAtReply > lingerBytes) socket.destroy()
  return true
}

/** Answers where there is no ServerResponse, because the parser gave up. Then closes. */
export function answerRaw(socket: Socket, reply: HttpReply): void {
  answered.set(socket, socket.bytesRead)
  socket.end(serialize(reply))
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
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
