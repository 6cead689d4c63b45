import type { FastifyReply } from 'fastify'
import { enteredRequest } from './entry.ts'

/**
 * Answers with bytes that are JSON already, straight to the HTTP server: the way through the app
 * would copy a large body three times. The bytes must not change afterwards.
 */
export function sendBytes(reply: FastifyReply, bytes: Uint8Array): FastifyReply {
  const entered = enteredRequest()
  if (entered === undefined) return reply.send(bytes)
  entered.body = bytes
  return reply.send()
}
