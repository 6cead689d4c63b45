import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Protocol version 3.0, in the startup message. */
const protocolVersion = 196_608

/**
 * Forwards connections to PostgreSQL and keeps the text of every statement sent, BEGIN and COMMIT
 * included. Any server can be measured, without a change to its settings.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export class StatementCounter {
  /** In the order sent, on all connections. */
  readonly statements: string[] = []
  /** The URL of the database through this counter. */
  readonly url: string
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  static async start(databaseUrl: string): Promise<StatementCounter> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new StatementCounter(server, new URL(databaseUrl))
  }

  private constructor(server: Server, database: URL) {
    this.#server = server
    const { port } = server.address() as AddressInfo
    const counted = new URL(database)
    counted.host = `127.0.0.1:${port}`
    this.url = counted.href
    server.on('connection', (client) => this.#forward(client, database))
  }

  async close(): Promise<void> {
    const isClosed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await isClosed
  }

  #forward(client: Socket, { hostname, port }: URL): void {
    const database = connect({ host: hostname, port: Number(port || 5432), noDelay: true })
    const messages = new ClientMessages(this.statements)
    client.on('data', (chunk) => messages.push(chunk))
    client.pipe(database).pipe(client)
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      this.#sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        this.#sockets.delete(socket)
        other.destroy()
      })
    }
  }
}

/** What one client sends. */
class ClientMessages {
  readonly #statements: string[]
  readonly #prepared = new Map<string, string>()
  #pending: Buffer = Buffer.alloc(0)
  #isStarted = false
  #bound = ''

  constructor(statements: string[]) {
    this.#statements = statements
  }

  push(chunk: Buffer): void {
    let bytes = Buffer.concat([this.#pending, chunk])
    for (;;) {
      // The startup message and those before it have a length but no type.
      const typeBytes = this.#isStarted ? 1 : 0
      if (bytes.length < typeBytes + 4) break
      const end = typeBytes + bytes.readUInt32BE(typeBytes)
      if (bytes.length < end) break
      const body = bytes.subarray(typeBytes + 4, end)
      if (this.#isStarted) this.#read(String.fromCharCode(bytes[0] ?? 0), body)
      else this.#isStarted = body.readUInt32BE(0) === protocolVersion
      bytes = bytes.subarray(end)
    }
    this.#pending = bytes
  }

  #read(type: string, body: Buffer): void {
    const [first = '', second = ''] = body.toString('utf8').split('\0', 2)
    if (type === 'Q') this.#statements.push(first)
    if (type === 'P') this.#prepared.set(first, second)
    if (type === 'B') this.#bound = this.#prepared.get(second) ?? ''
    if (type === 'E') this.#statements.push(this.#bound)
  }
}
