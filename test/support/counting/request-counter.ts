import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

const requestLine = /^(?:GET|HEAD|PUT|POST|DELETE) \S+ HTTP\/1\.1\r\n/

/** Forwards connections to an HTTP server and counts the requests. Each begins a chunk, as clients without pipelining send it. */
export class RequestCounter {
  requests = 0
  /** The address of the server through this counter. */
  readonly url: string
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  static async start(url: string): Promise<RequestCounter> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new RequestCounter(server, new URL(url))
  }

  private constructor(server: Server, { hostname, port }: URL) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('connection', (client) => {
      const target = connect({ host: hostname, port: Number(port), noDelay: true })
      client.on('data', (chunk) => {
        if (requestLine.test(chunk.toString('latin1', 0, 4_096))) this.requests += 1
      })
      client.pipe(target).pipe(client)
      for (const [socket, other] of [
        [client, target],
        [target, client],
      ] as const) {
        this.#sockets.add(socket)
        socket.on('error', () => other.destroy())
        socket.on('close', () => {
          this.#sockets.delete(socket)
          other.destroy()
        })
      }
    })
  }

  async close(): Promise<void> {
    const isClosed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await isClosed
  }
}
