import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../../test/support/free-port.ts'
import { generateLoad, prepareRequest } from '../load.ts'
import { cpuSeconds } from '../process-usage.ts'
import { inRounds } from '../rounds.ts'
import { type BenchContext, median, type Scenario, type Table, verdict } from '../scenario.ts'
import { bucketry, type ServerKind } from '../server-kinds.ts'
import { type RunningServer, startServer } from '../servers.ts'

const connections = 32
/** Metrics and the access log are made for production: they may cost a tenth. */
const mostTimes = 1.1
const objects = 1_000

type Settings = Readonly<Record<string, string>>

/** What is turned on, in the order of the table; the first one is compared with. */
function variants(folder: string, metricsPort: number, receiver: string) {
  const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver }
  const accessLog = { ACCESS_LOG_FORMAT: 's3', ACCESS_LOG_FILE: join(folder, 'access.log') }
  return [
    { name: 'nothing', settings: {} },
    { name: 'metrics', settings: { METRICS_PORT: String(metricsPort) } },
    { name: 'JSON log', settings: { LOG_LEVEL: 'info' } },
    { name: 'access log in S3 format', settings: { LOG_LEVEL: 'info', ...accessLog } },
    { name: 'traces, not sampled', settings: { ...traces, OTEL_TRACES_SAMPLER: 'always_off' } },
    { name: 'traces of every request', settings: { ...traces, OTEL_TRACES_SAMPLER: 'always_on' } },
  ] as const satisfies readonly { name: string; settings: Settings }[]
}

function kindWith(name: string, settings: Settings): ServerKind {
  return {
    ...bucketry,
    name,
    environment: (options) => ({ ...bucketry.environment?.(options), ...settings }),
  }
}

/** Receives traces and throws them away. */
async function startReceiver() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close().closeAllConnections() }
}

async function measure(context: BenchContext, server: RunningServer) {
  const shapes = Array.from({ length: objects }, (_, index) => ({ method: 'GET', key: `${index}` }))
  const requests = shapes.map((shape) => prepareRequest(server, shape))
  const job = { port: server.port, connections, requests }
  await generateLoad({ ...job, durationMs: 700 })
  const before = cpuSeconds(server.pid)
  const result = await generateLoad({ ...job, durationMs: context.seconds * 1_000 })
  const cpu = cpuSeconds(server.pid) - before
  return {
    perSecond: result.requests / (result.elapsedMs / 1_000),
    cpuMicroseconds: (cpu * 1e6) / result.requests,
  }
}

async function compare(context: BenchContext): Promise<Table> {
  const folder = join(context.memoryFolder, 'observability')
  const receiver = await startReceiver()
  const servers = new Map<ServerKind, RunningServer>()
  try {
    for (const { name, settings } of variants(folder, await freePort(), receiver.url)) {
      const kind = kindWith(name, settings)
      const server = await startServer(kind, { folder: join(folder, String(servers.size)) })
      servers.set(kind, server)
      const puts = Array.from({ length: objects }, (_, index) => ({
        ...{ method: 'PUT', key: `${index}`, bodyBytes: 1_024 },
      })).map((shape) => prepareRequest(server, shape))
      await generateLoad({
        port: server.port,
        connections: 4,
        requests: puts,
        totalRequests: objects,
      })
    }
    const rounds = await inRounds(context, 'observability', servers, (server) =>
      measure(context, server),
    )
    return tableOf([...rounds].map(([{ name }, measured]) => ({ name, measured })))
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()))
    receiver.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Measured = Awaited<ReturnType<typeof measure>>

function tableOf(results: readonly { name: string; measured: readonly Measured[] }[]): Table {
  const figures = results.map(({ name, measured }) => ({
    name,
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    cpu: median(measured.map(({ cpuMicroseconds }) => cpuMicroseconds)),
  }))
  const [{ cpu: off = Number.NaN } = {}] = figures
  const judged = figures.filter(({ name }) => name === 'metrics' || name === 'traces, not sampled')
  return {
    columns: ['turned on', 'requests/s', 'CPU µs/request', '× nothing'],
    rows: figures.map(({ name, perSecond, cpu }) => [
      ...[name, perSecond.toFixed(0), cpu.toFixed(0), (cpu / off).toFixed(2)],
    ]),
    verdict: judged
      .map(({ name, cpu }) =>
        verdict(`${name} ${(cpu / off).toFixed(2)} ×`, cpu / off <= mostTimes),
      )
      .join('; '),
  }
}

export const observabilityScenarios: readonly Scenario[] = [
  {
    name: 'observability',
    question: 'What do metrics, logs and traces cost a GET of 1 KiB?',
    target: `metrics, and traces that are not sampled, at most ${mostTimes} × the CPU time`,
    run: compare,
  },
]
