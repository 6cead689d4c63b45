import { CountedLine } from './counted-line.ts'

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
  readonly #line: CountedLine

  static async start(databaseUrl: string): Promise<StatementCounter> {
    const database = new URL(databaseUrl)
    const counter: StatementCounter = new StatementCounter(
      await CountedLine.start({
        host: database.hostname,
        port: Number(database.port || 5432),
        watch: () => {
          const messages = new ClientMessages(counter.statements)
          return (chunk) => messages.push(chunk)
        },
      }),
      database,
    )
    return counter
  }

  private constructor(line: CountedLine, database: URL) {
    this.#line = line
    const counted = new URL(database)
    counted.host = `127.0.0.1:${line.port}`
    this.url = counted.href
  }

  close(): Promise<void> {
    return this.#line.close()
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
