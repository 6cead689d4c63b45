import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateLoad, generateOpenLoop, readStreams } from '../load.ts'
import {
  type ModelGateway,
  modelsKey,
  startBucketry,
  startLiteLlm,
  startUpstream,
} from '../model-gateways.ts'
import { cpuSeconds, residentBytes } from '../process-usage.ts'
import { type BenchContext, median, type Scenario, type Table, verdict } from '../scenario.ts'
import type { StreamResult } from '../stream-client.ts'

const streams = 100
const eventsPerSecond = 50
/** The same events of ten times the streams: what a stream itself takes is the difference. */
const manyStreams = 1_000
const mostAddedP99Ms = 3
const mostStreamKib = 100
const callsPerSecond = 1_000
const connections = 32
const leastRatio = 5
const warmUpMs = 2_000
/** After the streams have begun. */
const settleMs = 3_000

const headers = { authorization: `Bearer ${modelsKey}`, 'content-type': 'application/json' }
const messages = [{ role: 'user', content: 'Hello' }]

const bodyOf = (more: object) => JSON.stringify({ model: 'lab/big', messages, ...more })

function streamsOf({ port }: ModelGateway, count: number, durationMs: number) {
  const everyMs = (1_000 * count) / (streams * eventsPerSecond)
  const body = bodyOf({ stream: true, logprobs: true, top_logprobs: everyMs })
  return readStreams({ ...{ port, headers, body, streams: count, durationMs, warmUpMs } })
}

/**
 * Starts the upstream and the gateways in front of it, and stops them. LiteLLM cannot keep up with the streams: it holds
 * gigabytes of them after a minute.
 */
async function withGateways<Result>(
  context: BenchContext,
  name: 'models-streams' | 'models-calls',
  use: (all: readonly ModelGateway[], notes: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const upstream = await startUpstream()
  const running = [upstream]
  try {
    running.push(await startBucketry(join(context.folder, name), upstream))
    if (name === 'models-streams') return await use(running, [])
    const other = await startLiteLlm(join(context.folder, 'litellm'), upstream)
    if (typeof other !== 'string') running.push(other)
    return await use(running, typeof other === 'string' ? [other] : [])
  } finally {
    for (const one of running.toReversed()) await one.stop()
  }
}

interface StreamRow extends StreamResult {
  readonly cpuUs: number
}

async function streamsThrough(context: BenchContext): Promise<Table> {
  return withGateways(context, 'models-streams', async (all) => {
    const rows = new Map<string, StreamRow[]>(all.map(({ name }) => [name, []]))
    for (let round = 1; round <= context.rounds; round += 1) {
      for (const one of round % 2 === 1 ? all : all.toReversed()) {
        const before = cpuSeconds(one.pid)
        const result = await streamsOf(one, streams, context.seconds * 1_000)
        const seconds = context.seconds + warmUpMs / 1_000
        const cpuUs = ((cpuSeconds(one.pid) - before) * 1e6) / (seconds * streams * eventsPerSecond)
        rows.get(one.name)?.push({ ...result, cpuUs })
        context.progress(`models-streams ${round} ${one.name}: p99 ${result.p99Ms.toFixed(2)} ms`)
      }
    }
    const memory = new Map<string, number>()
    for (const one of all) memory.set(one.name, await memoryOfStream(context, one))
    return tabulateStreams(rows, memory)
  })
}

/** KiB of a stream. */
async function memoryOfStream(context: BenchContext, one: ModelGateway): Promise<number> {
  const residentWith = async (count: number) => {
    const reading = streamsOf(one, count, 2 * settleMs)
    await sleep(warmUpMs + settleMs)
    const bytes = residentBytes(one.pid)
    await reading
    return bytes
  }
  const few = await residentWith(streams)
  const many = await residentWith(manyStreams)
  const kib = (many - few) / (manyStreams - streams) / 1024
  context.progress(`models-streams ${one.name}: ${kib.toFixed(0)} KiB a stream`)
  return kib
}

function tabulateStreams(
  rows: ReadonlyMap<string, readonly StreamRow[]>,
  memory: ReadonlyMap<string, number>,
): Table {
  const of = (name: string, field: keyof StreamRow) =>
    median((rows.get(name) ?? []).map((row) => row[field]))
  const added = (name: string, field: 'p50Ms' | 'p99Ms') => of(name, field) - of('direct', field)
  const addedP99Ms = added('bucketry', 'p99Ms')
  const kib = memory.get('bucketry') ?? Number.NaN
  const figure = `p99 ${addedP99Ms.toFixed(2)} ms more than direct, ${kib.toFixed(0)} KiB a stream`
  return {
    columns: [
      ...[`${streams} streams, ${eventsPerSecond} events/s each`, 'p50 ms', 'p99 ms'],
      ...['added p50 ms', 'added p99 ms', 'CPU µs/event', 'KiB/stream'],
    ],
    rows: [
      ...[...rows.keys()].map((name) => [
        ...[name, of(name, 'p50Ms').toFixed(2), of(name, 'p99Ms').toFixed(2)],
        ...(['p50Ms', 'p99Ms'] as const).map((field) =>
          name === 'direct' ? '' : added(name, field).toFixed(2),
        ),
        ...[of(name, 'cpuUs').toFixed(0), (memory.get(name) ?? Number.NaN).toFixed(0)],
      ]),
    ],
    verdict: verdict(figure, addedP99Ms < mostAddedP99Ms && kib < mostStreamKib),
  }
}

/** A call as bytes. */
function callTo({ port }: ModelGateway): string {
  const body = bodyOf({})
  const fields = { host: `127.0.0.1:${port}`, ...headers, 'content-length': body.length }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /v1/chat/completions HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

interface CallRow {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuMs: number
}

async function smallCalls(context: BenchContext): Promise<Table> {
  return withGateways(context, 'models-calls', async (all, notes) => {
    const rows = new Map<string, CallRow[]>(all.map(({ name }) => [name, []]))
    for (let round = 1; round <= context.rounds; round += 1) {
      for (const one of round % 2 === 1 ? all : all.toReversed()) {
        const row = await fastest(context, one)
        rows.get(one.name)?.push(row)
        context.progress(`models-calls ${round} ${one.name}: ${row.perSecond.toFixed(0)}/s`)
      }
    }
    const at = await steadyCalls(context, all)
    return tabulateCalls(rows, at, notes)
  })
}

async function fastest(context: BenchContext, one: ModelGateway): Promise<CallRow> {
  const job = { port: one.port, connections, requests: [{ head: callTo(one), bodyBytes: 0 }] }
  await generateLoad({ ...job, durationMs: 1_000 })
  const before = cpuSeconds(one.pid)
  const { requests, elapsedMs, p50Ms, p99Ms } = await generateLoad({
    ...job,
    durationMs: context.seconds * 1_000,
  })
  const cpuMs = ((cpuSeconds(one.pid) - before) * 1_000) / requests
  return { perSecond: requests / (elapsedMs / 1_000), p50Ms, p99Ms, cpuMs }
}

/** The 99th percentile at the fixed rate; undefined for what cannot keep up with it. */
async function steadyCalls(
  context: BenchContext,
  all: readonly ModelGateway[],
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  for (const one of all) {
    if (one.name === 'litellm') continue
    const { p99Ms } = await generateOpenLoop({
      ...{ port: one.port, head: callTo(one), perSecond: callsPerSecond, warmUpMs },
      durationMs: context.seconds * 1_000,
    })
    found.set(one.name, p99Ms)
  }
  return found
}

function tabulateCalls(
  rows: ReadonlyMap<string, readonly CallRow[]>,
  steady: ReadonlyMap<string, number>,
  notes: readonly string[],
): Table {
  const of = (name: string, field: keyof CallRow) =>
    median((rows.get(name) ?? []).map((row) => row[field]))
  const perSecond = of('bucketry', 'perSecond')
  const ratio = perSecond / of('litellm', 'perSecond')
  const hasOther = rows.has('litellm')
  const compared = hasOther ? `, ${ratio.toFixed(1)} × LiteLLM` : ''
  const isMet = perSecond >= callsPerSecond && (!hasOther || ratio >= leastRatio)
  return {
    columns: [
      ...[`small completions, ${connections} at once`, 'calls/s', 'p50 ms', 'p99 ms'],
      ...['CPU ms/call', `p99 ms at ${callsPerSecond}/s`],
    ],
    rows: [
      ...[...rows.keys()].map((name) => [
        ...[name, of(name, 'perSecond').toFixed(0), of(name, 'p50Ms').toFixed(1)],
        ...[of(name, 'p99Ms').toFixed(1), of(name, 'cpuMs').toFixed(2)],
        steady.get(name)?.toFixed(1) ?? '',
      ]),
      ...notes.map((note) => ['litellm', note, '', '', '', '']),
    ],
    verdict: verdict(`${perSecond.toFixed(0)} calls/s${compared}`, isMet),
  }
}

export const callScenarios: readonly Scenario[] = [
  {
    name: 'models-streams',
    question: `What does the gateway add to ${streams} streams of ${eventsPerSecond} events a second?`,
    target: `p99 less than ${mostAddedP99Ms} ms more than direct; less than ${mostStreamKib} KiB a stream`,
    run: streamsThrough,
  },
  {
    name: 'models-calls',
    question: 'How many small completions a second go through the gateway?',
    target: `${callsPerSecond}/s; ${leastRatio} × LiteLLM's proxy`,
    run: smallCalls,
  },
]
