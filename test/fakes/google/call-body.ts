import type { IncomingMessage } from 'node:http'
import type { Counters } from './counters.ts'
import { GoogleError } from './google-error.ts'
import { afterMs, type Link } from './link.ts'

/** Closes the connection without a reply. */
export class DroppedConnection extends Error {
  constructor(options?: ErrorOptions) {
    super('the connection is gone', options)
    this.name = 'DroppedConnection'
  }
}

/** A number of bytes, or half of the body. */
export type BodyPlace = number | 'half'

/** The effect of a fault on a request body. */
export interface BodyFault {
  /** Reads at most this many bytes. */
  readonly cutAfterBytes?: BodyPlace
  /** Called after those bytes. Default: drops the connection. */
  readonly cutWith?: Error
  /** Reads the rest and discards it. */
  readonly keepBytes?: BodyPlace
  /** Flips one bit. */
  readonly isDamaged?: boolean
  readonly bytesPerSecond?: number
}

interface BodyParts {
  readonly link: Link
  readonly counters: Counters
  readonly fault?: BodyFault | undefined
}

/** The largest body outside sessions. */
const wholeLimitBytes = 64 * 1024 * 1024

/** The body of a request, read at the speed of the link. */
export class CallBody {
  readonly fault: BodyFault
  readonly #request: IncomingMessage
  readonly #parts: BodyParts
  #received = 0

  constructor(request: IncomingMessage, parts: BodyParts) {
    this.#request = request
    this.#parts = parts
    this.fault = parts.fault ?? {}
  }

  /** How many bytes are kept: all, unless a fault keeps fewer. */
  get keptBytes(): number {
    return this.#place(this.fault.keepBytes)
  }

  /** Bytes received so far. */
  get received(): number {
    return this.#received
  }

  /** @throws DroppedConnection if the client disconnects or the fault says so. */
  async *pieces(): AsyncGenerator<Buffer> {
    const iterator = this.#request.iterator({ destroyOnReturn: false })
    const cutAt = this.#place(this.fault.cutAfterBytes)
    for (;;) {
      const next = await iterator.next().catch((cause: unknown) => {
        throw new DroppedConnection({ cause })
      })
      if (next.done === true) break
      const piece: Buffer = next.value
      await this.#pace(piece.length)
      const rest = cutAt - this.#received
      this.#received += Math.min(piece.length, rest)
      if (piece.length <= rest) {
        yield this.#damaged(piece)
        continue
      }
      if (rest > 0) yield piece.subarray(0, rest)
      break
    }
    if (this.fault.cutAfterBytes !== undefined) throw this.fault.cutWith ?? new DroppedConnection()
  }

  async whole(): Promise<Buffer> {
    const pieces: Buffer[] = []
    for await (const piece of this.pieces()) {
      pieces.push(piece)
      if (this.#received > wholeLimitBytes) {
        throw new GoogleError('badRequest', { message: 'Request is too large', status: 413 })
      }
    }
    return Buffer.concat(pieces)
  }

  async json(): Promise<Record<string, unknown>> {
    const type = this.#request.headers['content-type'] ?? ''
    const body = await this.whole()
    if (body.length > 0 && !/^application\/json\b/i.test(type)) {
      throw new GoogleError('badContent', { message: `Unsupported content with type: ${type}` })
    }
    return parseJsonObject(body)
  }

  #place(place: BodyPlace | undefined): number {
    if (place === undefined) return Number.POSITIVE_INFINITY
    if (place !== 'half') return place
    return Math.floor(Number(this.#request.headers['content-length'] ?? 0) / 2)
  }

  async #pace(bytes: number): Promise<void> {
    await this.#parts.link.pass(bytes)
    this.#parts.counters.countBytes({ bytesIn: bytes })
    const speed = this.fault.bytesPerSecond
    if (speed !== undefined) await afterMs((bytes / speed) * 1000)
  }

  #damaged(piece: Buffer): Buffer {
    const last = piece.length - 1
    if (this.fault.isDamaged !== true || piece[last] === undefined) return piece
    const copy = Buffer.from(piece)
    copy[last] = piece[last] ^ 1
    return copy
  }
}

/** An empty body is an empty object. */
export function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new GoogleError('parseError', { message: `Parse Error: ${String(cause)}` })
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new GoogleError('parseError')
  }
  return value as Record<string, unknown>
}
