import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { chunkedPiece, piece } from './body.ts'

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
  readonly isTls?: boolean
  /** The pace of each connection's bodies, which are whole mebibytes; as fast as the server reads if absent. */
  readonly bytesPerSecond?: number
}

export interface PreparedRequest {
  /** Request line and headers, to the empty line. */
  readonly head: string
  /** Bytes of body behind it. */
  readonly bodyBytes: number
  /** Ends a body in aws-chunked, whose `bodyBytes` are whole mebibytes. */
  readonly trailer?: string | undefined
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
  /** The first byte of a body. */
  readonly firstByteP50Ms: number
  /** CPU time of the generator itself. */
  readonly cpuSeconds: number
}

const pacedBytes = 64 * 1024
const lastChunk = '\r\n0\r\n\r\n'
const headEnd = Buffer.from('\r\n\r\n')

class Run {
  readonly job: LoadJob
  readonly latenciesMs: number[] = []
  readonly firstBytesMs: number[] = []
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
  #isDone = false
  /** RFC 9110 section 9.3.2: the reply to HEAD has a length and no body. */
  #isBodiless = false
  /** Bytes of the reply's body still to come; undefined while its head is awaited, infinite if it has chunks. */
  #remaining: number | undefined
  /** The last bytes of a body in chunks. */
  #tail = ''
  #hasBegun = false
  #pending: Buffer | undefined

  static open(run: Run): Promise<void> {
    return new Promise((resolve) => new Connection(run, resolve))
  }

  private constructor(run: Run, done: () => void) {
    this.#run = run
    const options = {
      port: run.job.port,
      host: '127.0.0.1',
      noDelay: true,
      // One buffer for all reads: the generator must not spend its core on garbage.
      onread: {
        buffer: Buffer.allocUnsafeSlow(256 * 1024),
        callback: (length: number, buffer: Uint8Array) => this.#receive(buffer as Buffer, length),
      },
    }
    const { isTls = false } = run.job
    this.#socket = isTls ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options)
    this.#socket.once(isTls ? 'secureConnect' : 'connect', () => this.#send())
    this.#socket.once('error', (error) => run.fail(error.message))
    this.#socket.once('close', () => {
      if (!this.#isDone) run.fail('the server closed the connection')
      done()
    })
  }

  #send(): void {
    const request = this.#run.next()
    if (request === undefined) {
      this.#isDone = true
      this.#socket.destroy()
      return
    }
    this.#startedAtMs = performance.now()
    this.#isBodiless = request.head.startsWith('HEAD ')
    const { head, bodyBytes, trailer } = request
    if (bodyBytes <= piece.length && trailer === undefined) {
      this.#socket.write(head + piece.toString('latin1', 0, bodyBytes), 'latin1')
      return
    }
    this.#socket.write(head, 'latin1')
    if (trailer !== undefined) this.#sendChunked(bodyBytes, trailer)
    else if (this.#run.job.bytesPerSecond === undefined) this.#sendBody(bodyBytes)
    else this.#sendPaced(bodyBytes, this.#run.job.bytesPerSecond, this.#startedAtMs)
  }

  #sendBody(bytes: number): void {
    if (bytes === 0 || this.#socket.destroyed) return
    const size = Math.min(bytes, piece.length)
    this.#socket.write(piece.subarray(0, size), () => this.#sendBody(bytes - size))
  }

  #sendChunked(bytes: number, trailer: string): void {
    if (this.#socket.destroyed) return
    if (bytes === 0) this.#socket.write(trailer, 'latin1')
    else this.#socket.write(chunkedPiece, () => this.#sendChunked(bytes - piece.length, trailer))
  }

  #sendPaced(bytes: number, bytesPerSecond: number, startedAtMs: number): void {
    if (bytes === 0 || this.#socket.destroyed) return
    const size = Math.min(bytes, pacedBytes)
    const nextMs = startedAtMs + (size / bytesPerSecond) * 1000
    const start = (piece.length - (bytes % piece.length)) % piece.length
    this.#socket.write(piece.subarray(start, start + size), () => {
      const send = () => this.#sendPaced(bytes - size, bytesPerSecond, nextMs)
      setTimeout(send, Math.max(0, nextMs - performance.now()))
    })
  }

  /** Returns whether to go on reading, as `onread` wants it. */
  #receive(buffer: Buffer, length: number): boolean {
    this.#run.bytesReceived += length
    if (this.#remaining === undefined) this.#readHead(buffer.subarray(0, length))
    else this.#takeBody(buffer.subarray(0, length))
    if (this.#remaining === undefined || this.#remaining > 0) return true
    this.#remaining = undefined
    this.#run.latenciesMs.push(performance.now() - this.#startedAtMs)
    this.#send()
    return true
  }

  #takeBody(bytes: Buffer): void {
    if (bytes.length > 0 && !this.#hasBegun) {
      this.#hasBegun = true
      this.#run.firstBytesMs.push(performance.now() - this.#startedAtMs)
    }
    this.#remaining = (this.#remaining ?? 0) - bytes.length
    if (this.#remaining !== Infinity) return
    // The chunks are JSON, or events, which do not end like this.
    const last = bytes.subarray(-lastChunk.length).toString('latin1')
    this.#tail = (this.#tail + last).slice(-lastChunk.length)
    if (this.#tail === lastChunk) this.#remaining = 0
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
    const isChunked = /\r\ntransfer-encoding: *chunked/i.test(head)
    if (length === undefined && !isChunked) {
      this.#run.fail(`a reply without Content-Length: ${head}`)
      this.#socket.destroy()
      return
    }
    this.#remaining = this.#isBodiless ? 0 : Number(length ?? Infinity)
    this.#hasBegun = false
    this.#tail = ''
    this.#takeBody(bytes.subarray(end + headEnd.length))
  }
}

const job = JSON.parse(await text(process.stdin)) as LoadJob
const run = new Run(job)
const startedAtMs = performance.now()
await Promise.all(Array.from({ length: job.connections }, () => Connection.open(run)))
const elapsedMs = performance.now() - startedAtMs
const sorted = Float64Array.from(run.latenciesMs).sort()
const firstBytes = Float64Array.from(run.firstBytesMs).sort()
const { user, system } = process.cpuUsage()
const result: LoadResult = {
  requests: sorted.length,
  failures: run.failures,
  firstFailure: run.firstFailure,
  bytesReceived: run.bytesReceived,
  elapsedMs,
  p50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
  p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  firstByteP50Ms: firstBytes[Math.floor(firstBytes.length * 0.5)] ?? 0,
  cpuSeconds: (user + system) / 1e6,
}
process.stdout.write(`${JSON.stringify(result)}\n`)
