import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { generateLoad, generateOpenLoop, prepareRequest } from '../load.ts'
import { cpuSeconds } from '../process-usage.ts'
import { type Columns, inRounds, tabulateRounds, targetOf, wantedKinds } from '../rounds.ts'
import { type BenchContext, mebibyte, type Scenario, type Table } from '../scenario.ts'
import type { ServerKind } from '../server-kinds.ts'
import { type RunningServer, startServer } from '../servers.ts'

const name = 'get-beside-uploads'
const perSecond = 300
const uploads = 2
const uploadBytesPerSecond = 100 * mebibyte
const uploadBytes = 64 * mebibyte
const warmUpMs = 700

interface Measured {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly lateP99Ms: number
  readonly uploadedPerSecond: number
  readonly cpuPerSecond: number
}

const columns: Columns<Measured> = [
  { title: 'p99 ms', of: ({ p99Ms }) => p99Ms, most: 12 },
  { title: 'p50 ms', of: ({ p50Ms }) => p50Ms, digits: 2 },
  { title: 'sent late, p99 ms', of: ({ lateP99Ms }) => lateP99Ms },
  { title: 'uploaded MiB/s', of: ({ uploadedPerSecond }) => uploadedPerSecond / mebibyte },
  { title: 'CPU s/s', of: ({ cpuPerSecond }) => cpuPerSecond, digits: 2 },
]

async function run(context: BenchContext): Promise<Table> {
  const folder = join(context.memoryFolder, name)
  const servers = new Map<ServerKind, RunningServer>()
  try {
    for (const kind of wantedKinds(context)) {
      servers.set(kind, await startServer(kind, { folder: join(folder, kind.name) }))
    }
    const rounds = await inRounds(context, name, servers, (server) => measure(context, server))
    return tabulateRounds(rounds, columns)
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(context: BenchContext, server: RunningServer): Promise<Measured> {
  const { port } = server
  const small = prepareRequest(server, { method: 'PUT', key: 'small', bodyBytes: 1024 })
  await generateLoad({ port, connections: 1, requests: [small], totalRequests: 1 })
  const durationMs = context.seconds * 1000
  const large = Array.from({ length: uploads }, (_, index) =>
    prepareRequest(server, { method: 'PUT', key: `large-${index}`, bodyBytes: uploadBytes }),
  )
  const cpuBefore = cpuSeconds(server.pid)
  const startedAtMs = performance.now()
  const [uploaded, got] = await Promise.all([
    generateLoad({
      ...{ port, connections: uploads, requests: large, bytesPerSecond: uploadBytesPerSecond },
      durationMs: warmUpMs + durationMs,
    }),
    generateOpenLoop({
      ...{ port, perSecond, durationMs, warmUpMs },
      head: prepareRequest(server, { method: 'GET', key: 'small' }).head,
    }),
  ])
  const seconds = (performance.now() - startedAtMs) / 1000
  return {
    ...{ p50Ms: got.p50Ms, p99Ms: got.p99Ms, lateP99Ms: got.lateP99Ms },
    uploadedPerSecond: (uploaded.requests * uploadBytes) / (uploaded.elapsedMs / 1000),
    cpuPerSecond: (cpuSeconds(server.pid) - cpuBefore) / seconds,
  }
}

export const besideUploadsScenarios: readonly Scenario[] = [
  {
    name,
    question:
      'How long do GETs of 1 KiB take, 300 per second, while two clients upload 100 MiB/s each, on a file system in memory?',
    target: targetOf(columns),
    run,
  },
]
