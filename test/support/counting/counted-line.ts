import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

interface CountedLineOptions {
  readonly host: string
  readonly port: number
  /** Called for each connection. What it returns gets what the client sends. */
  readonly watch: () => (chunk: Buffer) => void
}

/** Forwards connections to a server, and shows what clients send. */
export class CountedLine {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  static async start(options: CountedLineOptions): Promise<CountedLine> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new CountedLine(server, options)
  }

  private constructor(server: Server, { host, port, watch }: CountedLineOptions) {
    this.#server = server
    server.on('connection', (client) => {
      const target = connect({ host, port, noDelay: true })
      client.on('data', watch())
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

  /** On which it listens, on 127.0.0.1. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    const isClosed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await isClosed
  }
}
