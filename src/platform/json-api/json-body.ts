import type { IncomingHttpHeaders } from 'node:http'
import type { HttpRequest } from '../http/message.ts'
import { BodyError, BodyReading } from '../http/read-body.ts'
import { TimeLimitError, withinTime } from '../process/time-limit.ts'
import { ApiError } from './api-error.ts'

interface BodyLimits {
  readonly maxBytes: number
  /** The maximum pause between bytes. */
  readonly idleMs: number
  /** The maximum time for the whole body; undefined: unlimited. */
  readonly totalMs: number | undefined
}

/** Whether there is a body of at least one byte (RFC 9112 section 6.3). */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  return coding !== undefined || (length !== undefined && Number(length) > 0)
}

/** @throws ApiError 415 */
export function assertJsonType({ 'content-type': type = '' }: IncomingHttpHeaders): void {
  if (/^application\/json[\t ]*(?:;|$)/i.test(type)) return
  throw new ApiError(415, 'The body must be application/json.')
}

/**
 * Reads a body and parses it as JSON. Names that could change the prototype of an object are refused, because code that
 * copies a parsed object field by field would set it.
 *
 * @throws ApiError 400, 408 or 413; the rest of the body stays unread.
 */
export async function readJson(request: HttpRequest, limits: BodyLimits): Promise<unknown> {
  // Without the byte order mark (RFC 8259 section 8.1).
  const text = new TextDecoder().decode(await readBytes(request, limits))
  if (text === '') throw new ApiError(400, 'The body is empty; expected JSON.')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ApiError(400, 'The body is not valid JSON.', { cause })
  }
  // Text without either cannot contain such a name, so most bodies are not searched.
  if (/proto|\\u/.test(text) && changesPrototype(value)) {
    throw new ApiError(400, 'The body is not valid JSON.')
  }
  return value
}

/** @throws ApiError 400, 408 or 413; the rest of the body stays unread. */
export async function readBytes(
  request: HttpRequest,
  { maxBytes, idleMs, totalMs }: BodyLimits,
): Promise<Buffer> {
  const tooLarge = () => new ApiError(413, 'The body is too large.')
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  request.acceptBody()
  const reading = new BodyReading(request, {
    idleTimeoutMs: idleMs,
    isGathered: true,
    take(bytes) {
      size += bytes.length
      if (size > maxBytes) throw tooLarge()
      chunks.push(bytes)
      return undefined
    },
  })
  try {
    await (totalMs === undefined ? reading.done : withinTime(reading.done, totalMs))
  } catch (error) {
    throw refusalOf(error)
  } finally {
    reading.stop()
  }
  return Buffer.concat(chunks)
}

function refusalOf(error: unknown): unknown {
  const isGone = error instanceof BodyError && error.kind === 'gone'
  if (isGone) return new ApiError(400, 'The connection ended before the end of the body.')
  const isLate = error instanceof BodyError || error instanceof TimeLimitError
  return isLate ? new ApiError(408, 'The body did not arrive in time.') : error
}

/** Not recursive: a body may be nested deeper than the stack. */
function changesPrototype(json: unknown): boolean {
  const waiting = [json]
  for (;;) {
    const value = waiting.pop()
    if (typeof value === 'object' && value !== null) {
      if (Object.hasOwn(value, '__proto__') || hasConstructor(value)) return true
      for (const inner of Object.values(value)) waiting.push(inner)
    } else if (waiting.length === 0) return false
  }
}

function hasConstructor(value: object): boolean {
  const inner: unknown = Object.hasOwn(value, 'constructor') ? value.constructor : undefined
  return typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'prototype')
}
