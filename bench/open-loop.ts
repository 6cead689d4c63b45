import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

/**
 * Sends GETs at a fixed rate, whether or not earlier ones are answered (an open loop, as many clients
 * are): a server that stalls makes all that come meanwhile late, and each is timed from the moment
 * that it was due.
 *
 * Usage: node bench/open-loop.ts < job.json; the result is one line of JSON on stdout.
 */
export interface OpenLoopJob {
  readonly port: number
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
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

const job = JSON.parse(await text(process.stdin)) as OpenLoopJob
const agent = new Agent({ keepAlive: true })
const latenciesMs: number[] = []
const lateMs: number[] = []
let failures = 0

function sendOne(dueAtMs: number, isCounted: boolean): Promise<void> {
  const { port, path, headers = {} } = job
  if (isCounted) lateMs.push(performance.now() - dueAtMs)
  return new Promise((resolve) => {
    const finish = (isFailure: boolean) => {
      if (isCounted) latenciesMs.push(performance.now() - dueAtMs)
      if (isFailure) failures++
      resolve()
    }
    const outgoing = request({ host: '127.0.0.1', port, path, headers, agent }, (reply) => {
      reply.on('end', () => finish(reply.statusCode !== 200))
      reply.on('error', () => finish(true))
      reply.resume()
    })
    outgoing.on('error', () => finish(true))
    outgoing.end()
  })
}

/** A timer of Node may be late by more than a millisecond: the last two are waited for awake. */
const awakeMs = 2

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds > awakeMs) setTimeout(resolve, milliseconds - awakeMs)
    else setImmediate(resolve)
  })
}

async function run(): Promise<void> {
  const { perSecond, durationMs, warmUpMs } = job
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
    pending.push(sendOne(dueAtMs, count * everyMs >= warmUpMs))
    count++
  }
  await Promise.all(pending)
  agent.destroy()
}

function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

await run()
const result: OpenLoopResult = {
  requests: latenciesMs.length,
  failures,
  p50Ms: percentile(latenciesMs, 0.5),
  p99Ms: percentile(latenciesMs, 0.99),
  maxMs: percentile(latenciesMs, 1),
  lateP99Ms: percentile(lateMs, 0.99),
}
process.stdout.write(`${JSON.stringify(result)}\n`)
