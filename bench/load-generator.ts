import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * Sends prepared requests over raw keep-alive sockets as fast as the server answers, one at a time
 * per connection. It runs in a separate process (and on a separate core) and parses only the status
 * and length of a reply: otherwise the client would limit the result. It reports its own CPU time,
 * which shows whether it did.
 *
 * Usage: node bench/load-generator.ts < job.json; the result is one line of JSON on stdout.
 */
export interface LoadJob {
  readonly port: number
  readonly connections: number
  readonly requests: readonly PreparedRequest[]
  /** Ends after this time, or after `totalRequests`. */
  readonly durationMs?: number
  readonly totalRequests?: number
}

export interface PreparedRequest {
  /** Request line and headers, to the empty line. */
  readonly head: string
  /** Bytes of body behind it. */
  readonly bodyBytes: number
}

export interface LoadResult {
  readonly requests: number
  readonly failures: number
  /** Status line of the first reply that was no 2xx, or the error of a connection. */
  readonly firstFailure: string | undefined
  readonly bytesReceived: number
  readonly elapsedMs: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of the generator itself. */
  readonly cpuSeconds: number
}

const bodyChunk = Buffer.alloc(1024 * 1024, 'bucketry ')
const headEnd = Buffer.from('\r\n\r\n')

class Run {
  readonly job: LoadJob
  readonly latenciesMs: number[] = []
  failures = 0
  firstFailure: string | undefined
  bytesReceived = 0
  #sent = 0
  readonly #endsAtMs: number

  constructor(job: LoadJob) {
    this.job = job
    this.#endsAtMs = job.durationMs === undefined ? Infinity : performance.now() + job.durationMs
  }

  next(): PreparedRequest | undefined {
    const { requests, totalRequests = Infinity } = this.job
    if (this.#sent >= totalRequests || performance.now() >= this.#endsAtMs) return undefined
    return requests[this.#sent++ % requests.length]
  }

  fail(reason: string): void {
    this.failures++
    this.firstFailure ??= reason
  }
}

/** One connection. Resolves when all requests are sent. */
class Connection {
  readonly #run: Run
  readonly #socket: Socket
  #startedAtMs = 0
  /** RFC 9110 section 9.3.2: the reply to HEAD has a length and no body. */
  #isBodiless = false
  /** Bytes of the reply's body still to come; undefined while its head is awaited. */
  #remaining: number | undefined
  #pending: Buffer | undefined

  static open(run: Run): Promise<void> {
    return new Promise((resolve) => new Connection(run, resolve))
  }

  private constructor(run: Run, done: () => void) {
    this.#run = run
    this.#socket = connect({
      port: run.job.port,
      host: '127.0.0.1',
      noDelay: true,
      // One buffer for all reads: the generator must not spend its core on garbage.
      onread: {
        buffer: Buffer.allocUnsafeSlow(256 * 1024),
        callback: (length, buffer) => this.#receive(buffer as Buffer, length),
      },
    })
    this.#socket.once('connect', () => this.#send())
    this.#socket.once('error', (error) => run.fail(error.message))
    this.#socket.once('close', done)
  }

  #send(): void {
    const request = this.#run.next()
    if (request === undefined) {
      this.#socket.destroy()
      return
    }
    this.#startedAtMs = performance.now()
    this.#isBodiless = request.head.startsWith('HEAD ')
    if (request.bodyBytes <= bodyChunk.length) {
      this.#socket.write(
        request.head + bodyChunk.toString('latin1', 0, request.bodyBytes),
        'latin1',
      )
      return
    }
    this.#socket.write(request.head, 'latin1')
    this.#sendBody(request.bodyBytes)
  }

  #sendBody(bytes: number): void {
    if (bytes === 0 || this.#socket.destroyed) return
    const size = Math.min(bytes, bodyChunk.length)
    this.#socket.write(bodyChunk.subarray(0, size), () => this.#sendBody(bytes - size))
  }

  /** Returns whether to go on reading, as `onread` wants it. */
  #receive(buffer: Buffer, length: number): boolean {
    this.#run.bytesReceived += length
    if (this.#remaining === undefined) this.#readHead(buffer.subarray(0, length))
    else this.#remaining -= length
    if (this.#remaining === undefined || this.#remaining > 0) return true
    this.#remaining = undefined
    this.#run.latenciesMs.push(performance.now() - this.#startedAtMs)
    this.#send()
    return true
  }

  #readHead(chunk: Buffer): void {
    const bytes = Buffer.concat(this.#pending === undefined ? [chunk] : [this.#pending, chunk])
    const end = bytes.indexOf(headEnd)
    this.#pending = end < 0 ? bytes : undefined
    if (end < 0) return
    const head = bytes.toString('latin1', 0, end)
    // The status is at bytes 9 to 11 of `HTTP/1.1 200 OK`.
    if (head[9] !== '2') this.#run.fail(bytes.toString('latin1', 0, 600))
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length === undefined) {
      this.#run.fail(`a reply without Content-Length: ${head}`)
      this.#socket.destroy()
      return
    }
    this.#remaining = this.#isBodiless ? 0 : Number(length) - (bytes.length - end - headEnd.length)
  }
}

const job = JSON.parse(await text(process.stdin)) as LoadJob
const run = new Run(job)
const startedAtMs = performance.now()
await Promise.all(Array.from({ length: job.connections }, () => Connection.open(run)))
const elapsedMs = performance.now() - startedAtMs
const sorted = Float64Array.from(run.latenciesMs).sort()
const { user, system } = process.cpuUsage()
const result: LoadResult = {
  requests: sorted.length,
  failures: run.failures,
  firstFailure: run.firstFailure,
  bytesReceived: run.bytesReceived,
  elapsedMs,
  p50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
  p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  cpuSeconds: (user + system) / 1e6,
}
process.stdout.write(`${JSON.stringify(result)}\n`)
