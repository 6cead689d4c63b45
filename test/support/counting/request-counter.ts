import { CountedLine } from './counted-line.ts'

const requestLine = /^(?:GET|HEAD|PUT|POST|DELETE) \S+ HTTP\/1\.1\r\n/

/** Forwards connections to an HTTP server and counts the requests. Each begins a chunk, as clients without pipelining send it. */
export class RequestCounter {
  requests = 0
  readonly #line: CountedLine

  static async start(url: string): Promise<RequestCounter> {
    const { hostname, port } = new URL(url)
    const counter: RequestCounter = new RequestCounter(
      await CountedLine.start({
        host: hostname,
        port: Number(port),
        watch: () => (chunk) => counter.#count(chunk),
      }),
    )
    return counter
  }

  private constructor(line: CountedLine) {
    this.#line = line
  }

  /** The address of the server through this counter. */
  get url(): string {
    return `http://127.0.0.1:${this.#line.port}`
  }

  close(): Promise<void> {
    return this.#line.close()
  }

  #count(chunk: Buffer): void {
    if (requestLine.test(chunk.toString('latin1', 0, 4_096))) this.requests += 1
  }
}
