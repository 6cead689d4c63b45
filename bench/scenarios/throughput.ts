import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeCertificate } from '../../test/support/certificates.ts'
import { LimitWatch, limitText } from '../limit.ts'
import { generateLoad, prepareRequest, type RequestShape } from '../load.ts'
import {
  contextSwitches,
  cpuSeconds,
  peakBytes,
  resetPeak,
  residentBytes,
} from '../process-usage.ts'
import {
  type Columns,
  inRounds,
  type Share,
  tabulateRounds,
  targetOf,
  wantedKinds,
} from '../rounds.ts'
import { type BenchContext, mebibyte, type Scenario, type Table } from '../scenario.ts'
import { bucketry, rawDurable, type ServerKind } from '../server-kinds.ts'
import { type RunningServer, startServer } from '../servers.ts'

/** Of every server before each measurement, under the same load. */
const warmUpMs = 2_000

export interface ThroughputOptions {
  readonly name: string
  readonly question: string
  /** Lowest share of another server's rate. */
  readonly leastRate?: Share
  /** Highest multiple of another server's CPU time for a request. */
  readonly mostCpu?: Share
  readonly connections: number
  /** Requests are sent round and round. */
  readonly shapes: readonly RequestShape[]
  /** Uploaded first, so that there is something to get. */
  readonly preparation?: readonly RequestShape[]
  readonly bytesPerRequest: number
  /** On a file system in memory, which costs no disk time. */
  readonly isInMemory?: boolean
  readonly isTls?: boolean
  /** The servers to measure instead of all, and the one that is judged. */
  readonly among?: readonly [judged: ServerKind, ...others: ServerKind[]]
}

interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuMicroseconds: number
  readonly switches: number
  readonly peakAboveIdleBytes: number
  readonly generatorLoad: number
  readonly limit: number
}

/** Measures the same signed requests against every server, in interleaved rounds. */
export function throughputScenario(options: ThroughputOptions): Scenario {
  const { name, question } = options
  const target = targetOf(columnsOf(options))
  return { name, question, target, run: (context) => runThroughput(context, options) }
}

async function runThroughput(context: BenchContext, options: ThroughputOptions): Promise<Table> {
  const { isInMemory = false, isTls = false, name } = options
  const { profile } = context
  const folder = join(isInMemory ? context.memoryFolder : context.folder, name)
  const certificate = isTls ? makeCertificate(context.folder) : undefined
  const isWriting = options.shapes.some(({ method }) => method === 'PUT')
  const kinds = wantedKinds(context, options.among)
    .filter((kind) => !isTls || kind.isWithoutTls !== true)
    .filter((kind) => isWriting || kind !== rawDurable)
  const servers = new Map<ServerKind, RunningServer>()
  try {
    for (const kind of kinds) {
      const prefix = profile.prefixOf('server')
      const environment = profile.isOneProcess ? { WORKERS: '1' } : {}
      const start = { folder: join(folder, kind.name), certificate, prefix, environment }
      servers.set(kind, await startServer(kind, start))
    }
    for (const server of servers.values()) await prepare(context, server, options)
    const rounds = await inRounds(context, name, servers, (server) =>
      measure(context, server, options),
    )
    return tabulateRounds(rounds, columnsOf(options), options.among?.[0] ?? bucketry)
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

async function prepare(
  context: BenchContext,
  server: RunningServer,
  options: ThroughputOptions,
): Promise<void> {
  const requests = (options.preparation ?? []).map((shape) => prepareRequest(server, shape))
  if (requests.length === 0) return
  const { port, isTls } = server
  const job = { port, isTls, connections: 4, requests, totalRequests: requests.length }
  await generateLoad(job, context.profile.prefixOf('generator'))
}

async function measure(
  context: BenchContext,
  server: RunningServer,
  options: ThroughputOptions,
): Promise<Measured> {
  const requests = options.shapes.map((shape) => prepareRequest(server, shape))
  const { port, isTls } = server
  const job = { port, isTls, connections: options.connections, requests }
  const idleBytes = residentBytes(server.pid)
  resetPeak(server.pid)
  const prefix = context.profile.prefixOf('generator')
  await generateLoad({ ...job, durationMs: warmUpMs }, prefix)
  const cpuBefore = cpuSeconds(server.pid)
  const switchesBefore = contextSwitches(server.pid)
  const watch = new LimitWatch(server.pid)
  const durationMs = context.seconds * 1000
  const result = await generateLoad({ ...job, durationMs }, prefix)
  const cpuUsed = cpuSeconds(server.pid) - cpuBefore
  const switches = contextSwitches(server.pid) - switchesBefore
  const generatorLoad = result.cpuSeconds / (result.elapsedMs / 1000)
  const limit = watch.limit(generatorLoad)
  const peakAboveIdleBytes = peakBytes(server.pid) - idleBytes
  await sleep(100) // Lets what the server does behind its last reply end outside the next measurement.
  return {
    perSecond: result.requests / (result.elapsedMs / 1000),
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    cpuMicroseconds: (cpuUsed * 1e6) / result.requests,
    switches: switches / result.requests,
    peakAboveIdleBytes,
    ...{ generatorLoad, limit },
  }
}

function columnsOf(options: ThroughputOptions): Columns<Measured> {
  const { bytesPerRequest, leastRate, mostCpu } = options
  const rate = { title: 'requests/s', of: ({ perSecond }: Measured) => perSecond }
  const cpu = {
    title: 'CPU µs/request',
    of: ({ cpuMicroseconds }: Measured) => cpuMicroseconds,
    digits: 0,
  }
  return [
    leastRate === undefined ? rate : { ...rate, leastShare: leastRate },
    { title: 'MiB/s', of: ({ perSecond }) => (perSecond * bytesPerRequest) / mebibyte },
    { title: 'p50 ms', of: ({ p50Ms }) => p50Ms, digits: 2 },
    { title: 'p99 ms', of: ({ p99Ms }) => p99Ms, digits: 2 },
    mostCpu === undefined ? cpu : { ...cpu, mostShare: mostCpu },
    { title: 'context switches/request', of: ({ switches }) => switches, digits: 2 },
    {
      title: 'peak MiB above idle',
      of: ({ peakAboveIdleBytes }) => peakAboveIdleBytes / mebibyte,
    },
    { title: 'generator busy %', of: ({ generatorLoad }) => generatorLoad * 100, digits: 0 },
    { title: 'limit', of: ({ limit }) => limit, show: limitText },
  ]
}
