import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

/**
 * Reads streams of bench/model-upstream.ts, and measures how old each event is when it arrives.
 *
 * Usage: node bench/stream-client.ts < job.json; the result is one line of JSON on stdout.
 */
export interface StreamJob {
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly streams: number
  readonly durationMs: number
  /** At the beginning, not counted. */
  readonly warmUpMs: number
}

export interface StreamResult {
  readonly events: number
  /** Streams that ended or did not begin. */
  readonly failures: number
  readonly p50Ms: number
  readonly p99Ms: number
}

const time = /"content": ?"(\d{6,})"/g

class Run {
  readonly agesMs: number[] = []
  failures = 0
  readonly #job: StreamJob
  readonly #agent = new Agent()
  #isCounted = false
  #isOver = false

  constructor(job: StreamJob) {
    this.#job = job
  }

  async read(): Promise<void> {
    const { streams, warmUpMs, durationMs } = this.#job
    for (let count = 0; count < streams; count += 1) this.#open()
    await pause(warmUpMs)
    this.#isCounted = true
    await pause(durationMs)
    this.#isOver = true
    this.#agent.destroy()
  }

  #open(): void {
    const { port, headers, body } = this.#job
    const fail = () => {
      if (!this.#isOver) this.failures += 1
    }
    const options = { host: '127.0.0.1', port, method: 'POST', path: '/v1/chat/completions' }
    request({ ...options, agent: this.#agent, headers }, (response) => {
      if (response.statusCode !== 200) fail()
      let rest = ''
      response.setEncoding('latin1').on('data', (piece: string) => {
        const now = process.hrtime.bigint()
        const end = piece.lastIndexOf('\n')
        const lines = rest + piece.slice(0, end + 1)
        rest = end < 0 ? rest + piece : piece.slice(end + 1)
        if (!this.#isCounted || end < 0) return
        for (const [, at = '0'] of lines.matchAll(time))
          this.agesMs.push(Number(now - BigInt(at)) / 1e6)
      })
      response.on('error', () => undefined).on('end', fail)
    })
      .on('error', fail)
      .end(body)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}

function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const run = new Run(JSON.parse(await text(process.stdin)) as StreamJob)
await run.read()
const { agesMs, failures } = run
const result: StreamResult = {
  ...{ events: agesMs.length, failures },
  ...{ p50Ms: percentile(agesMs, 0.5), p99Ms: percentile(agesMs, 0.99) },
}
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit()
