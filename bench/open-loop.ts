import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * Sends one request at a fixed rate, whether or not earlier ones are answered (an open loop, as many
 * clients are): a server that stalls makes all that come meanwhile late, and each is timed from the
 * moment that it was due. Raw keep-alive sockets, one more whenever all are busy; of a reply no more
 * is looked at than its status and length.
 *
 * Usage: node bench/open-loop.ts < job.json; the result is one line of JSON on stdout.
 */
export interface OpenLoopJob {
  readonly port: number
  /** A request without body, from its request line to the empty line. */
  readonly head: string
  readonly perSecond: number
  readonly durationMs: number
  /** Sent first at the same rate and not counted. */
  readonly warmUpMs: number
}

export interface OpenLoopResult {
  readonly requests: number
  readonly failures: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** How late the generator itself sent, 99th percentile: its own share in p99Ms. */
  readonly lateP99Ms: number
}

const headEnd = Buffer.from('\r\n\r\n')

/** A socket that carries one exchange at a time. */
class Connection {
  readonly #socket: Socket
  #finish: (isSuccess: boolean) => void = () => undefined
  #head = Buffer.alloc(0)
  /** Bytes of the reply's body still to come; undefined while its head is awaited. */
  #remaining: number | undefined

  constructor(port: number) {
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      // One buffer for all reads: the generator must not collect garbage while it measures.
      onread: {
        buffer: Buffer.allocUnsafeSlow(256 * 1024),
        callback: (length, buffer) => this.#receive(buffer as Buffer, length),
      },
    })
    this.#socket.once('error', () => this.#finish(false))
    this.#socket.once('close', () => this.#finish(false))
  }

  /** Resolves with whether it was a whole reply of status 200. */
  exchange(head: string): Promise<boolean> {
    return new Promise((resolve) => {
      this.#finish = resolve
      this.#socket.write(head, 'latin1')
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  /** Returns whether to go on reading, as `onread` wants it. */
  #receive(buffer: Buffer, length: number): boolean {
    if (this.#remaining === undefined) this.#readHead(buffer.subarray(0, length))
    else this.#remaining -= length
    if (this.#remaining === undefined || this.#remaining > 0) return true
    this.#remaining = undefined
    this.#finish(true)
    return true
  }

  #readHead(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#head, chunk])
    const end = bytes.indexOf(headEnd)
    this.#head = end < 0 ? bytes : Buffer.alloc(0)
    if (end < 0) return
    const head = bytes.toString('latin1', 0, end)
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length === undefined || !head.startsWith('HTTP/1.1 200')) {
      this.#socket.destroy()
      return
    }
    this.#remaining = Number(length) - (bytes.length - end - headEnd.length)
  }
}

/** A timer of Node may be late by more than a millisecond: the last two are waited for awake. */
const awakeMs = 2

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds > awakeMs) setTimeout(resolve, milliseconds - awakeMs)
    else setImmediate(resolve)
  })
}

class Run {
  readonly latenciesMs: number[] = []
  readonly lateMs: number[] = []
  failures = 0
  readonly #job: OpenLoopJob
  readonly #idle: Connection[] = []

  constructor(job: OpenLoopJob) {
    this.#job = job
  }

  async send(): Promise<void> {
    const { perSecond, durationMs, warmUpMs } = this.#job
    const everyMs = 1_000 / perSecond
    const beginsAtMs = performance.now()
    const total = Math.floor((warmUpMs + durationMs) / everyMs)
    const pending: Promise<void>[] = []
    for (let count = 0; count < total; ) {
      const dueAtMs = beginsAtMs + count * everyMs
      const waitMs = dueAtMs - performance.now()
      if (waitMs > 0) {
        await pause(waitMs)
        continue
      }
      pending.push(this.#sendOne(dueAtMs, count * everyMs >= warmUpMs))
      count++
    }
    await Promise.all(pending)
    for (const connection of this.#idle) connection.close()
  }

  async #sendOne(dueAtMs: number, isCounted: boolean): Promise<void> {
    const connection = this.#idle.pop() ?? new Connection(this.#job.port)
    if (isCounted) this.lateMs.push(performance.now() - dueAtMs)
    const isSuccess = await connection.exchange(this.#job.head)
    if (isCounted) this.latenciesMs.push(performance.now() - dueAtMs)
    if (isSuccess) this.#idle.push(connection)
    else this.failures++
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

const run = new Run(JSON.parse(await text(process.stdin)) as OpenLoopJob)
await run.send()
const { latenciesMs, lateMs, failures } = run
const result: OpenLoopResult = {
  requests: latenciesMs.length,
  failures,
  p50Ms: percentile(latenciesMs, 0.5),
  p99Ms: percentile(latenciesMs, 0.99),
  maxMs: percentile(latenciesMs, 1),
  lateP99Ms: percentile(lateMs, 0.99),
}
process.stdout.write(`${JSON.stringify(result)}\n`)
