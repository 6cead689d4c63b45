import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readStreams } from '../load.ts'
import { type ModelGateway, startBucketry, startUpstream } from '../model-gateways.ts'
import { cpuSeconds, residentBytes } from '../process-usage.ts'
import { type BenchContext, median, type Scenario, type Table, verdict } from '../scenario.ts'
import type { StreamResult } from '../stream-client.ts'

const streams = 100
const eventsPerSecond = 50
/** The same events of ten times the streams: what a stream itself takes is the difference. */
const manyStreams = 1_000
const mostAddedP99Ms = 3
const mostStreamKib = 100
const warmUpMs = 2_000
/** After the streams have begun. */
const settleMs = 3_000

const messages = [{ role: 'user', content: 'Hello' }]

function streamsOf({ port, headers: more }: ModelGateway, count: number, durationMs: number) {
  const everyMs = (1_000 * count) / (streams * eventsPerSecond)
  const asked = { stream: true, logprobs: true, top_logprobs: everyMs }
  const body = JSON.stringify({ model: 'lab/big', messages, ...asked })
  const headers = { ...more, 'content-type': 'application/json' }
  return readStreams({ ...{ port, headers, body, streams: count, durationMs, warmUpMs } })
}

interface StreamRow extends StreamResult {
  readonly cpuUs: number
}

async function streamsThrough(context: BenchContext): Promise<Table> {
  const upstream = await startUpstream()
  const all = [upstream]
  try {
    all.push(await startBucketry(join(context.folder, 'models-streams'), upstream))
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
  } finally {
    for (const one of all.toReversed()) await one.stop()
  }
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

export const streamScenarios: readonly Scenario[] = [
  {
    name: 'models-streams',
    question: `What does the gateway add to ${streams} streams of ${eventsPerSecond} events a second?`,
    target: `p99 less than ${mostAddedP99Ms} ms more than direct; less than ${mostStreamKib} KiB a stream`,
    run: streamsThrough,
  },
]
