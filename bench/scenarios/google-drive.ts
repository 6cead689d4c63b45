import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Counters, callMs, type RunningEmulator, startEmulator } from '../google-emulator.ts'
import { listAll } from '../list-pages.ts'
import { generateLoad, prepareRequest, type RequestShape } from '../load.ts'
import { type BenchContext, median, type Scenario, type Table, verdict } from '../scenario.ts'
import { bucket, bucketry } from '../server-kinds.ts'
import { type RunningServer, startServer } from '../servers.ts'

const keys = 10_000
const heads = 1_000
const mostTimesLocal = 2
const requests = 100
const mostCalls = { get: 1, put: 2 }
const objectBytes = 1024

type Work = (server: RunningServer) => Promise<number>

interface Place {
  readonly name: string
  readonly server: RunningServer
  readonly calls: () => Promise<number>
}

function keyOf(index: number): string {
  return `file-${String(index).padStart(7, '0')}`
}

/** What a reading costs that no byte is asked for, beside the same on a local folder. */
const readings: Readonly<Record<string, Work>> = {
  [`listing ${keys} keys`]: async (server) => {
    const startedAtMs = performance.now()
    const { keys: listed } = await listAll(server)
    if (listed !== keys) throw new Error(`${listed} keys are listed, not ${keys}`)
    return performance.now() - startedAtMs
  },
  [`${heads} HEADs, one after the other`]: async (server) => {
    const shapes = Array.from({ length: heads }, (_, index) => ({
      method: 'HEAD',
      key: keyOf(Math.floor((index * keys) / heads)),
    }))
    return (await send(server, shapes)).elapsedMs
  },
}

async function send(server: RunningServer, shapes: readonly RequestShape[], connections = 1) {
  const prepared = shapes.map((shape) => prepareRequest(server, shape))
  const totalRequests = prepared.length
  return generateLoad({ port: server.port, connections, requests: prepared, totalRequests })
}

async function readIndex(context: BenchContext): Promise<Table> {
  return withDrives(context, async (local, google) => {
    const rows: string[][] = []
    let worstRatio = 0
    let allCalls = 0
    for (const [name, work] of Object.entries(readings)) {
      await work(local.server)
      await work(google.server)
      const callsBefore = await google.calls()
      const times = await measureBoth(context, { local, google }, work)
      const calls = (await google.calls()) - callsBefore
      const ratio = times.google / times.local
      context.progress(`google-index ${name}: ${ratio.toFixed(2)} × local, ${calls} calls`)
      rows.push([
        name,
        times.local.toFixed(0),
        times.google.toFixed(0),
        ratio.toFixed(2),
        `${calls}`,
      ])
      worstRatio = Math.max(worstRatio, ratio)
      allCalls += calls
    }
    const figure = `${allCalls} calls, at most ${worstRatio.toFixed(2)} × local`
    return {
      columns: ['', 'local ms', 'Google ms', '× local', 'calls to Google'],
      rows,
      verdict: verdict(figure, allCalls === 0 && worstRatio <= mostTimesLocal),
    }
  })
}

async function measureBoth(
  context: BenchContext,
  places: { readonly local: Place; readonly google: Place },
  work: Work,
): Promise<{ local: number; google: number }> {
  const times: { local: number[]; google: number[] } = { local: [], google: [] }
  for (let round = 0; round < context.rounds; round++) {
    const order = round % 2 === 0 ? (['local', 'google'] as const) : (['google', 'local'] as const)
    for (const place of order) times[place].push(await work(places[place].server))
  }
  return { local: median(times.local), google: median(times.google) }
}

async function withDrives<Result>(
  context: BenchContext,
  use: (local: Place, google: Place) => Promise<Result>,
): Promise<Result> {
  const folder = join(context.folder, 'google-index-local')
  mkdirSync(join(folder, bucket), { recursive: true })
  const bytes = Buffer.alloc(objectBytes, 'bucketry ')
  for (let index = 0; index < keys; index++)
    writeFileSync(join(folder, bucket, keyOf(index)), bytes)
  const local = await startServer(bucketry, { folder })
  try {
    return await withGoogle(context, { name: 'google-index', files: keys }, (server, emulator) => {
      const calls = async () => (await emulator.counters()).total
      const places = [
        { name: 'local', server: local, calls: async () => 0 },
        { name: 'Google', server, calls },
      ] as const
      return use(...places)
    })
  } finally {
    await local.stop()
  }
}

/** A gateway over an emulated Google Drive with so many files. */
export async function withGoogle<Result>(
  context: BenchContext,
  { name, files }: { readonly name: string; readonly files: number },
  use: (server: RunningServer, emulator: RunningEmulator) => Promise<Result>,
): Promise<Result> {
  const emulator = await startEmulator(files)
  try {
    const { settings: environment } = emulator
    const server = await startServer(bucketry, { folder: join(context.folder, name), environment })
    try {
      return await use(server, emulator)
    } finally {
      await server.stop()
    }
  } finally {
    await emulator.stop()
  }
}

interface CountedWork {
  readonly name: string
  readonly shapes: readonly RequestShape[]
  readonly mostCalls: number
}

const all = Array.from({ length: requests }, (_, index) => index)
const countedWorks: readonly CountedWork[] = [
  {
    name: 'first GET of a key',
    shapes: all.map((index) => ({ method: 'GET', key: keyOf(index) })),
    mostCalls: mostCalls.get,
  },
  {
    name: 'PUT of 1 KiB, a new key',
    shapes: all.map((index) => ({ method: 'PUT', key: `new-${index}`, bodyBytes: objectBytes })),
    mostCalls: mostCalls.put,
  },
  {
    name: 'PUT of 1 KiB, a key that is there',
    shapes: all.map((index) => ({ method: 'PUT', key: keyOf(index), bodyBytes: objectBytes })),
    mostCalls: mostCalls.put,
  },
]

async function countCalls(context: BenchContext): Promise<Table> {
  const google = { name: 'google-calls', files: requests }
  return withGoogle(context, google, async (server, emulator) => {
    // The index is filled, and every worker process has its access token and ids for new files.
    await listAll(server)
    const warmUp = all.slice(0, 64).map((index) => {
      return { method: 'PUT', key: `warm-up-${index}`, bodyBytes: objectBytes }
    })
    await send(server, warmUp, warmUp.length)
    const rows: string[][] = []
    let areFewEnough = true
    for (const { name, shapes, mostCalls: most } of countedWorks) {
      await emulator.forgetCounters()
      const { p50Ms } = await send(server, shapes)
      const { total, calls } = await emulator.counters()
      const each = total / requests
      context.progress(`google-calls ${name}: ${each} calls`)
      rows.push([name, each.toFixed(2), String(most), p50Ms.toFixed(0), textOf(calls)])
      areFewEnough &&= each <= most
    }
    return {
      columns: [`${requests} of each`, 'calls each', 'at most', 'p50 ms', 'calls'],
      rows,
      verdict: verdict(rows.map(([, each]) => each).join(', '), areFewEnough),
    }
  })
}

function textOf(calls: Counters['calls']): string {
  return Object.entries(calls)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ')
}

export const googleScenarios: readonly Scenario[] = [
  {
    name: 'google-index',
    question: `Do listings and HEAD call Google Drive, ${callMs} ms away?`,
    target: `no call to Google; at most ${mostTimesLocal} × the local drive's time`,
    run: readIndex,
  },
  {
    name: 'google-calls',
    question: `How many calls to Google Drive, of ${callMs} ms, does a request take?`,
    target: `${mostCalls.get} for the first GET of a key, at most ${mostCalls.put} for a PUT`,
    run: countCalls,
  },
]
