import type { Dispatcher } from 'undici'
import { TransientError } from '../../kit/cloud/retry-policy.ts'

/** Reading more than this to keep a connection is not worthwhile. */
const drainedBytes = 64 * 1024

/** A response whose body is unread. The receiver reads it to the end or closes it. */
export class HttpAnswer {
  readonly status: number
  readonly #headers: Dispatcher.ResponseData['headers']
  readonly #body: Dispatcher.ResponseData['body']
  readonly #failureOf: (error: unknown) => unknown

  /** @param failureOf converts errors of the body. */
  constructor(response: Dispatcher.ResponseData, failureOf: (error: unknown) => unknown) {
    this.status = response.statusCode
    this.#headers = response.headers
    this.#body = response.body
    this.#failureOf = failureOf
  }

  /** @param name in lower case. */
  header(name: string): string | undefined {
    const value = this.#headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  /** The body as it arrives. Ending the iteration early closes the connection. */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of this.#body) yield chunk as Uint8Array
    } catch (error) {
      throw this.#failureOf(error)
    } finally {
      this.close()
    }
  }

  /** @throws TransientError if the body is longer. */
  async text(maxBytes: number): Promise<string> {
    const text = await this.beginning(maxBytes + 1)
    if (text.length <= maxBytes) return text.toString('utf8')
    throw new TransientError('server', `a response of more than ${maxBytes} bytes`)
  }

  /** At most this many bytes; the rest is discarded. */
  async beginning(maxBytes: number): Promise<Buffer> {
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of this.chunks()) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= maxBytes) break
    }
    return Buffer.concat(chunks, length).subarray(0, maxBytes)
  }

  /** Discards the body, so that the connection can be reused. Never rejects. */
  async drain(): Promise<void> {
    // Only the status matters, so errors in the body have no effect.
    await this.beginning(drainedBytes).catch(() => undefined)
  }

  /** Discards the unread rest. Idempotent. */
  close(): void {
    this.#body.destroy()
  }
}
