import assert from 'node:assert/strict'
import type { GatewayProcess } from './gateway-process.ts'
import { RawConnection } from './raw-connection.ts'
import { signHeaders } from './signed-request.ts'

type Gateway = Pick<GatewayProcess, 'host' | 'port' | 'credentials'>

/** Signed requests written byte by byte to a gateway, well formed or not. */
export class RawExchange {
  readonly #gateway: Gateway

  constructor(gateway: Gateway) {
    this.#gateway = gateway
  }

  /** Request line and signed headers. Lines in `unsigned` are added behind the signature. */
  head(
    method: string,
    target: string,
    lines: { readonly headers?: Readonly<Record<string, string>>; readonly unsigned?: string } = {},
  ): string {
    const { host, credentials } = this.#gateway
    const { headers = {}, unsigned = '' } = lines
    const signed = Object.entries(signHeaders({ method, target, host, headers }, credentials))
    const fields = signed.map(([name, value]) => `${name}: ${value}\r\n`)
    return `${method} ${target} HTTP/1.1\r\n${fields.join('')}${unsigned}\r\n`
  }

  /**
   * Writes the bytes, ends its side if asked to, and resolves with the reply: whole, or what there
   * is of it when the gateway closes. One character is one byte.
   */
  async send(bytes: string, options: { readonly end?: boolean } = {}): Promise<string> {
    const connection = await RawConnection.open(this.#gateway.port)
    try {
      connection.write(bytes)
      if (options.end === true) connection.socket.end()
      return await Promise.race([connection.closed(), wholeReply(connection)])
    } finally {
      connection.destroy()
    }
  }
}

/** A 4xx or 501 with an S3 error in XML. */
export function assertRefused(reply: string, code = /<Code>[A-Za-z]+<\/Code>/): void {
  assert.match(reply, /^HTTP\/1\.1 (4\d\d|501) /)
  assert.match(reply, code)
  assert.match(reply, /\r\ncontent-type: application\/xml\r\n/i)
  assert.match(reply, /\r\nx-amz-request-id: /i)
}

/** Resolves when a reply has come as far as its Content-Length says; else pends for ever. */
function wholeReply(connection: RawConnection): Promise<string> {
  return new Promise((resolve) => {
    const look = (): void => {
      const { received } = connection
      const end = received.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, end))?.[1]
      const hasNoBody = /^HTTP\/1\.1 (204|304)/.test(received)
      if (hasNoBody || received.length >= end + 4 + Number(length)) resolve(received)
    }
    connection.socket.on('data', look)
    look()
  })
}
