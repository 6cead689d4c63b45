import { join } from 'node:path'
import { generateLoad } from '../load.ts'
import {
  type ModelGateway,
  otherGateways,
  startBucketry,
  startGateway,
  startUpstream,
} from '../model-gateways.ts'
import { cpuSeconds } from '../process-usage.ts'
import { type BenchContext, median, type Scenario, type Table, verdict } from '../scenario.ts'

/** What is sent, and by how many at once. */
interface CallShape {
  readonly name: string
  readonly connections: number
  readonly path: '/v1/chat/completions' | '/v1/messages'
  readonly textBytes: number
  /** Of a stream. */
  readonly events?: number
}

const kibibyte = 1024
const callers = 16
const chat = { path: '/v1/chat/completions', connections: callers, textBytes: kibibyte } as const
const streamed = { events: 200 } as const
const oneCaller: CallShape = { ...chat, name: '1 KiB, one caller', connections: 1 }
const call: CallShape = { ...chat, name: '1 KiB' }
const largeCall: CallShape = { ...chat, name: '64 KiB', textBytes: 64 * kibibyte }
const stream: CallShape = { ...chat, ...streamed, name: '200 events' }
const translatedCall: CallShape = { ...call, name: '1 KiB, translated', path: '/v1/messages' }
const translatedStream: CallShape = {
  ...{ ...stream, name: '200 events, translated', path: '/v1/messages' },
}
const shapes = [oneCaller, call, largeCall, stream, translatedCall, translatedStream]

const leastPerSecond = 1_000
const leastLiteLlmRatio = 5
const mostCallRatio = 8
const mostEventRatio = 4
const mostTranslatedUs = 200
const mostTranslatedEventUs = 20

/** The call as bytes. */
function bytesOf({ path, textBytes, events }: CallShape, { port, headers }: ModelGateway): string {
  const body = JSON.stringify({
    ...{ model: 'lab/big', max_tokens: events ?? 200, stream: events !== undefined },
    messages: [{ role: 'user', content: 'x'.repeat(textBytes) }],
  })
  const type = { 'content-type': 'application/json', 'content-length': body.length }
  const fields = { host: `127.0.0.1:${port}`, ...headers, ...type }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

interface CallRow {
  readonly perSecond: number
  readonly cpuUs: number
  readonly firstByteMs: number
  readonly p99Ms: number
}

async function measure(shape: CallShape, one: ModelGateway, seconds: number): Promise<CallRow> {
  const requests = [{ head: bytesOf(shape, one), bodyBytes: 0 }]
  const job = { port: one.port, connections: shape.connections, requests }
  await generateLoad({ ...job, durationMs: 1_000 })
  const before = cpuSeconds(one.pid)
  const result = await generateLoad({ ...job, durationMs: seconds * 1_000 })
  return {
    perSecond: result.requests / (result.elapsedMs / 1_000),
    cpuUs: ((cpuSeconds(one.pid) - before) * 1e6) / result.requests,
    firstByteMs: result.firstByteP50Ms,
    p99Ms: result.p99Ms,
  }
}

async function callsThroughAll(context: BenchContext): Promise<Table> {
  const upstream = await startUpstream()
  const running = [upstream]
  const notes = new Map<string, string>()
  try {
    running.push(await startBucketry(join(context.folder, 'models-calls'), upstream))
    for (const kind of otherGateways) {
      const other = await startGateway(kind, join(context.folder, kind.name), upstream)
      if (typeof other === 'string') notes.set(kind.name, other)
      else running.push(other)
    }
    return tabulate(await measureAll(context, running), notes)
  } finally {
    for (const one of running.toReversed()) await one.stop()
  }
}

/** The rounds of each shape, by gateway. */
type Measured = ReadonlyMap<CallShape, ReadonlyMap<string, readonly CallRow[]>>

async function measureAll(context: BenchContext, all: readonly ModelGateway[]): Promise<Measured> {
  const found = new Map<CallShape, Map<string, CallRow[]>>()
  for (const shape of shapes) {
    const able = all.filter((one) => shape.path === chat.path || one.translates)
    const rows = new Map<string, CallRow[]>(able.map(({ name }) => [name, []]))
    found.set(shape, rows)
    for (let round = 1; round <= context.rounds; round += 1) {
      for (const one of round % 2 === 1 ? able : able.toReversed()) {
        const row = await measure(shape, one, context.seconds)
        rows.get(one.name)?.push(row)
        context.progress(
          `models-calls ${shape.name} ${round} ${one.name}: ${row.cpuUs.toFixed(0)} µs`,
        )
      }
    }
  }
  return found
}

function tabulate(measured: Measured, notes: ReadonlyMap<string, string>): Table {
  const of = (shape: CallShape, name: string, field: keyof CallRow) =>
    median((measured.get(shape)?.get(name) ?? []).map((row) => row[field]))
  const ratio = (shape: CallShape, other: string, name = 'bucketry') =>
    of(shape, name, 'cpuUs') / of(shape, other, 'cpuUs')
  const added = (from: CallShape, to: CallShape) =>
    of(to, 'bucketry', 'cpuUs') - of(from, 'bucketry', 'cpuUs')
  const perSecond = of(call, 'bucketry', 'perSecond')
  const translatedUs = added(call, translatedCall)
  const eventUs = (added(stream, translatedStream) - translatedUs) / streamed.events
  const liteLlm = perSecond / of(call, 'litellm', 'perSecond')
  const figures: readonly Figure[] = [
    { figure: perSecond, unit: 'calls/s', least: leastPerSecond },
    { figure: liteLlm, unit: "× LiteLLM's", least: leastLiteLlmRatio },
    { figure: ratio(call, 'nginx'), unit: "× nginx's CPU a call", most: mostCallRatio },
    { figure: ratio(stream, 'nginx'), unit: "× nginx's CPU an event", most: mostEventRatio },
    { figure: translatedUs, unit: 'µs of translation a call', most: mostTranslatedUs },
    { figure: eventUs, unit: 'µs of translation an event', most: mostTranslatedEventUs },
  ]
  return {
    columns: [
      ...[`${callers} callers, unless stated`, 'gateway', 'calls/s', 'first byte ms', 'p99 ms'],
      ...['CPU µs/call', 'CPU µs/event', '× nginx'],
    ],
    rows: [
      ...shapes.flatMap((shape) =>
        [...(measured.get(shape)?.keys() ?? [])].map((name) => [
          ...[shape.name, name, of(shape, name, 'perSecond').toFixed(0)],
          ...[of(shape, name, 'firstByteMs').toFixed(2), of(shape, name, 'p99Ms').toFixed(1)],
          ...[of(shape, name, 'cpuUs').toFixed(0)],
          shape.events === undefined ? '' : (of(shape, name, 'cpuUs') / shape.events).toFixed(1),
          measured.get(shape)?.has('nginx') === true ? ratio(shape, 'nginx', name).toFixed(1) : '',
        ]),
      ),
      ...[...notes].map(([name, note]) => ['', name, note, '', '', '', '', '']),
    ],
    verdict: figures.flatMap(judged).join('; '),
  }
}

interface Figure {
  readonly figure: number
  readonly unit: string
  readonly least?: number
  readonly most?: number
}

/** Nothing of a gateway that is not measured. */
function judged({ figure, unit, least = -Infinity, most = Infinity }: Figure): readonly string[] {
  if (Number.isNaN(figure)) return []
  return [verdict(`${figure.toFixed(1)} ${unit}`, figure >= least && figure <= most)]
}

export const callScenarios: readonly Scenario[] = [
  {
    name: 'models-calls',
    question: 'What does a call of a model cost, through this gateway and through others?',
    target: `${leastPerSecond}/s; CPU of a call at most ${mostCallRatio} × nginx as plain proxy, of an event ${mostEventRatio} ×; ${leastLiteLlmRatio} × LiteLLM; translation ${mostTranslatedUs} µs a call and ${mostTranslatedEventUs} µs an event`,
    run: callsThroughAll,
  },
]
