import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { uploadInParts } from '../multipart.ts'
import { cpuSeconds } from '../process-usage.ts'
import { type Columns, inRounds, tabulateRounds, targetOf, wantedKinds } from '../rounds.ts'
import { type BenchContext, mebibyte, type Scenario, type Table } from '../scenario.ts'
import type { ServerKind } from '../server-kinds.ts'
import { type RunningServer, startServer } from '../servers.ts'

const totalBytes = 1024 * mebibyte
const partBytes = 16 * mebibyte

interface Measured {
  readonly seconds: number
  readonly cpuSecondsPerGib: number
  readonly completeMs: number
}

interface MultipartOptions {
  readonly name: string
  readonly question: string
  /** Each uploads an object of its own; 1 GiB in all. */
  readonly clients: number
  /** Parts that a client sends at once, in COMPATIBILITY=aws. Default: one. */
  readonly connections?: number
  /** On a file system in memory, which costs no disk time. */
  readonly isInMemory?: boolean
  readonly mostSeconds?: number
  readonly mostCpuSeconds?: number
}

function multipartScenario(options: MultipartOptions): Scenario {
  const { name, question, mostSeconds, mostCpuSeconds } = options
  const total = { title: 'seconds', of: ({ seconds }: Measured) => seconds, digits: 2 }
  const cpu = {
    title: 'CPU s/GiB',
    of: ({ cpuSecondsPerGib }: Measured) => cpuSecondsPerGib,
    digits: 2,
  }
  const columns: Columns<Measured> = [
    mostSeconds === undefined ? total : { ...total, most: mostSeconds },
    mostCpuSeconds === undefined ? cpu : { ...cpu, most: mostCpuSeconds },
    { title: 'Complete ms', of: ({ completeMs }) => completeMs },
  ]
  const run = (context: BenchContext) => runMultipart(context, options, columns)
  return { name, question, target: targetOf(columns), run }
}

async function runMultipart(
  context: BenchContext,
  { name, clients, connections, isInMemory = false }: MultipartOptions,
  columns: Columns<Measured>,
): Promise<Table> {
  const folder = join(isInMemory ? context.memoryFolder : context.folder, name)
  const environment: Record<string, string> =
    connections === undefined ? {} : { COMPATIBILITY: 'aws' }
  const servers = new Map<ServerKind, RunningServer>()
  try {
    for (const kind of wantedKinds(context)) {
      servers.set(kind, await startServer(kind, { folder: join(folder, kind.name), environment }))
    }
    const measureOne = (server: RunningServer) => measure(server, clients, connections)
    return tabulateRounds(await inRounds(context, name, servers, measureOne), columns)
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(server: RunningServer, clients: number, atOnce = 1): Promise<Measured> {
  const parts = totalBytes / clients / partBytes
  const cpuBefore = cpuSeconds(server.pid)
  const times = await Promise.all(
    Array.from({ length: clients }, (_, index) =>
      uploadInParts(server, { key: `object-${index}`, parts, partBytes, atOnce }),
    ),
  )
  return {
    seconds: Math.max(...times.map(({ totalMs }) => totalMs)) / 1000,
    cpuSecondsPerGib: cpuSeconds(server.pid) - cpuBefore,
    completeMs: Math.max(...times.map(({ completeMs }) => completeMs)),
  }
}

export const multipartScenarios: readonly Scenario[] = [
  multipartScenario({
    name: 'multipart',
    question: 'How long does an upload of 1 GiB take, in parts of 16 MiB one after the other?',
    clients: 1,
    mostSeconds: 2.5,
    mostCpuSeconds: 2.6,
  }),
  multipartScenario({
    name: 'multipart-clients',
    question: 'What does 1 GiB cost if 4 clients upload 256 MiB each at once?',
    clients: 4,
    mostCpuSeconds: 3.5,
  }),
  ...[1, 4, 16].flatMap((connections) =>
    [false, true].map((isInMemory) =>
      multipartScenario({
        name: `multipart-${connections}${isInMemory ? '-memory' : ''}`,
        question: `How long does an upload of 1 GiB take over ${connections} connections${isInMemory ? ', on a file system in memory' : ''}?`,
        clients: 1,
        ...{ connections, isInMemory },
      }),
    ),
  ),
]
