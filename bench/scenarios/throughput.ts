import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateLoad, prepareRequest, type RequestShape } from '../load.ts'
import { cpuSeconds, peakBytes, resetPeak, residentBytes } from '../process-usage.ts'
import {
  type BenchContext,
  inMebibytes,
  median,
  type Scenario,
  type Table,
  verdict,
} from '../scenario.ts'
import {
  bucketry,
  type RunningServer,
  rawServer,
  type ServerKind,
  serverKinds,
  startServer,
} from '../servers.ts'

/** Servers share this core, one under load at a time; the generator has the other. */
const serverCore = 0
const generatorCore = 1
const warmUpMs = 700

interface ThroughputOptions {
  readonly name: string
  readonly question: string
  /** Lowest share of the raw server's rate. */
  readonly leastShare: number
  readonly connections: number
  /** Requests are sent round and round. */
  readonly shapes: readonly RequestShape[]
  /** Uploaded first, so that there is something to get. */
  readonly preparation?: readonly RequestShape[]
  readonly bytesPerRequest: number
}

interface Measurement {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuMicroseconds: number
  readonly peakAboveIdleBytes: number
  readonly generatorLoad: number
}

/** Measures the same signed requests against every server on one core, in interleaved rounds. */
export function throughputScenario(options: ThroughputOptions): Scenario {
  const { name, question, leastShare } = options
  const target = `at least ${leastShare} of the raw server`
  return { name, question, target, run: (context) => runThroughput(context, options) }
}

async function runThroughput(context: BenchContext, options: ThroughputOptions): Promise<Table> {
  const present = serverKinds.filter((kind) => kind.absence === undefined && context.isWanted(kind))
  const servers: RunningServer[] = []
  try {
    for (const kind of present) {
      servers.push(await startServer(kind, startOptions(context, kind, options)))
    }
    for (const server of servers) await prepare(server, options)
    const measurements = await measureInterleaved(context, servers, options)
    return tabulate(measurements, options)
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    rmSync(join(context.folder, options.name), { recursive: true, force: true })
  }
}

function startOptions(context: BenchContext, kind: ServerKind, options: ThroughputOptions) {
  const folder = join(context.folder, options.name, kind.name)
  return { folder, core: serverCore, environment: { WORKERS: '1' } }
}

async function prepare(server: RunningServer, options: ThroughputOptions): Promise<void> {
  const requests = (options.preparation ?? []).map((shape) => prepareRequest(server, shape))
  if (requests.length === 0) return
  const job = { port: server.port, connections: 4, requests, totalRequests: requests.length }
  await generateLoad(job, generatorCore)
}

async function measureInterleaved(
  context: BenchContext,
  servers: readonly RunningServer[],
  options: ThroughputOptions,
): Promise<Map<ServerKind, Measurement[]>> {
  const all = new Map<ServerKind, Measurement[]>(servers.map(({ kind }) => [kind, []]))
  for (let round = 1; round <= context.rounds; round++) {
    // The order is reversed every round, so that none is always behind the same neighbour.
    for (const server of round % 2 === 1 ? servers : servers.toReversed()) {
      const measurement = await measure(context, server, options)
      all.get(server.kind)?.push(measurement)
      const rate = measurement.perSecond.toFixed(1)
      context.progress(`${options.name} ${round}/${context.rounds} ${server.kind.name}: ${rate}/s`)
    }
  }
  return all
}

async function measure(
  context: BenchContext,
  server: RunningServer,
  options: ThroughputOptions,
): Promise<Measurement> {
  const requests = options.shapes.map((shape) => prepareRequest(server, shape))
  const job = { port: server.port, connections: options.connections, requests }
  const idleBytes = residentBytes(server.pid)
  resetPeak(server.pid)
  await generateLoad({ ...job, durationMs: warmUpMs }, generatorCore)
  const cpuBefore = cpuSeconds(server.pid)
  const result = await generateLoad({ ...job, durationMs: context.seconds * 1000 }, generatorCore)
  const cpuUsed = cpuSeconds(server.pid) - cpuBefore
  const peakAboveIdleBytes = peakBytes(server.pid) - idleBytes
  await sleep(100) // Lets what the server does behind its last reply end outside the next measurement.
  return {
    perSecond: result.requests / (result.elapsedMs / 1000),
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    cpuMicroseconds: (cpuUsed * 1e6) / result.requests,
    peakAboveIdleBytes,
    generatorLoad: result.cpuSeconds / (result.elapsedMs / 1000),
  }
}

function tabulate(
  measurements: ReadonlyMap<ServerKind, readonly Measurement[]>,
  options: ThroughputOptions,
): Table {
  const medianOf = (kind: ServerKind, field: keyof Measurement): number =>
    median((measurements.get(kind) ?? []).map((measurement) => measurement[field]))
  const floor = medianOf(rawServer, 'perSecond')
  const rows = [...measurements.keys()].map((kind) => {
    const perSecond = medianOf(kind, 'perSecond')
    return [
      kind.name,
      perSecond.toFixed(1),
      inMebibytes(perSecond * options.bytesPerRequest),
      (perSecond / floor).toFixed(2),
      medianOf(kind, 'p50Ms').toFixed(2),
      medianOf(kind, 'p99Ms').toFixed(2),
      medianOf(kind, 'cpuMicroseconds').toFixed(0),
      inMebibytes(medianOf(kind, 'peakAboveIdleBytes')),
      `${(medianOf(kind, 'generatorLoad') * 100).toFixed(0)} %`,
    ]
  })
  const share = medianOf(bucketry, 'perSecond') / floor
  return {
    columns: [
      ...['server', 'requests/s', 'MiB/s', '× raw', 'p50 ms', 'p99 ms'],
      ...['CPU µs/request', 'peak MiB above idle', 'generator busy'],
    ],
    rows,
    verdict: verdict(
      `${share.toFixed(2)} of the raw server, ${options.leastShare} wanted`,
      share >= options.leastShare,
    ),
  }
}

const smallKeys = Array.from({ length: 1000 }, (_, index) => `object-${index}`)
const largeKeys = Array.from({ length: 4 }, (_, index) => `large-${index}`)
const smallBytes = 1024
const largeBytes = 64 * 1024 * 1024
const get = (key: string): RequestShape => ({ method: 'GET', key })
const putSmall = (key: string): RequestShape => ({ method: 'PUT', key, bodyBytes: smallBytes })
const putLarge = (key: string): RequestShape => ({ method: 'PUT', key, bodyBytes: largeBytes })

export const throughputScenarios: readonly Scenario[] = [
  throughputScenario({
    name: 'get-small',
    question: 'How many signed GETs of 1 KiB per second on one core?',
    leastShare: 0.6,
    connections: 32,
    preparation: smallKeys.map(putSmall),
    shapes: smallKeys.map(get),
    bytesPerRequest: smallBytes,
  }),
  throughputScenario({
    name: 'put-small',
    question: 'How many durable signed PUTs of 1 KiB per second on one core?',
    leastShare: 0.7,
    connections: 32,
    preparation: smallKeys.map(putSmall),
    shapes: smallKeys.map(putSmall),
    bytesPerRequest: smallBytes,
  }),
  throughputScenario({
    name: 'get-large',
    question: 'How fast are GETs of 64 MiB on one core?',
    leastShare: 0.9,
    connections: 4,
    preparation: largeKeys.map(putLarge),
    shapes: largeKeys.map(get),
    bytesPerRequest: largeBytes,
  }),
  throughputScenario({
    name: 'put-large',
    question: 'How fast are durable PUTs of 64 MiB on one core?',
    leastShare: 0.8,
    connections: 4,
    shapes: largeKeys.map(putLarge),
    bytesPerRequest: largeBytes,
  }),
]
