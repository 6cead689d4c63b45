import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateLoad, prepareRequest } from '../load.ts'
import { cpuSeconds, type Memory, memoryOf } from '../process-usage.ts'
import { type Columns, inRounds, tabulateRounds, targetOf, wantedKinds } from '../rounds.ts'
import { type BenchContext, mebibyte, type Scenario } from '../scenario.ts'
import type { ServerKind } from '../server-kinds.ts'
import { type RunningServer, startServer } from '../servers.ts'

const settleMs = 5_000
const sampleEveryMs = 200
const clients = 32
const clientBytes = 32 * mebibyte
const bytesPerSecond = 5 * mebibyte

interface StartCost {
  readonly startMs: number
  readonly cpu: number
}

const startColumns: Columns<StartCost> = [
  { title: 'first reply ms', of: ({ startMs }) => startMs, digits: 0, most: 200 },
  { title: 'CPU s', of: ({ cpu }) => cpu, digits: 2, most: 0.18 },
]

async function startCost({ startMs, pid }: RunningServer): Promise<StartCost> {
  return { startMs, cpu: cpuSeconds(pid) }
}

function memoryColumns(mostRss: number, mostDirty?: number): Columns<Memory> {
  const dirty = {
    title: 'private dirty MiB',
    of: ({ privateDirty }: Memory) => privateDirty / mebibyte,
    digits: 0,
  }
  return [
    { title: 'RSS MiB', of: ({ rss }) => rss / mebibyte, digits: 0, most: mostRss },
    { title: 'PSS MiB', of: ({ pss }) => pss / mebibyte, digits: 0 },
    mostDirty === undefined ? dirty : { ...dirty, most: mostDirty },
  ]
}

async function idleMemory({ pid }: RunningServer): Promise<Memory> {
  await sleep(settleMs)
  return memoryOf(pid)
}

/** The highest of each figure, seen in samples. */
async function peakMemory(server: RunningServer): Promise<Memory> {
  const requests = Array.from({ length: clients }, (_, index) =>
    prepareRequest(server, { method: 'PUT', key: `client-${index}`, bodyBytes: clientBytes }),
  )
  const job = { port: server.port, connections: clients, requests, totalRequests: clients }
  let isLoaded = true
  const load = generateLoad({ ...job, bytesPerSecond }).finally(() => {
    isLoaded = false
  })
  let peak: Memory = { rss: 0, pss: 0, privateDirty: 0 }
  while (isLoaded) {
    const now = memoryOf(server.pid)
    peak = {
      rss: Math.max(peak.rss, now.rss),
      pss: Math.max(peak.pss, now.pss),
      privateDirty: Math.max(peak.privateDirty, now.privateDirty),
    }
    await sleep(sampleEveryMs)
  }
  await load
  return peak
}

/** Starts each server for each measurement. Its folder is kept, so most starts are not its first. */
function freshScenario<Measured>(
  name: string,
  question: string,
  columns: Columns<Measured>,
  measure: (server: RunningServer) => Promise<Measured>,
): Scenario {
  const run = async (context: BenchContext) => {
    const folder = join(context.folder, name)
    const kinds = new Map<ServerKind, ServerKind>(wantedKinds(context).map((kind) => [kind, kind]))
    try {
      const rounds = await inRounds(context, name, kinds, async (kind) => {
        const server = await startServer(kind, { folder: join(folder, kind.name) })
        return measure(server).finally(() => server.stop())
      })
      return tabulateRounds(rounds, columns)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return { name, question, target: targetOf(columns), run }
}

export const footprintScenarios: readonly Scenario[] = [
  freshScenario(
    'cold-start',
    'How long after the start of its process does a server answer?',
    startColumns,
    startCost,
  ),
  freshScenario(
    'idle-memory',
    'How much memory do all processes of an idle server need?',
    memoryColumns(130, 75),
    idleMemory,
  ),
  freshScenario(
    'peak-memory',
    `How much memory do they need at most while ${clients} clients upload at 5 MiB/s each?`,
    memoryColumns(200),
    peakMemory,
  ),
]
