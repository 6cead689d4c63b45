import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { listAll } from '../list-pages.ts'
import { generateLoad, prepareRequest, type RequestShape } from '../load.ts'
import { uploadInParts } from '../multipart.ts'
import { cpuSeconds, peakBytes, resetPeak, residentBytes } from '../process-usage.ts'
import {
  type BenchContext,
  mebibyte,
  median,
  type Scenario,
  type Table,
  verdict,
} from '../scenario.ts'
import type { RunningServer } from '../servers.ts'
import { absenceOfStore, type StoreWorld, startStoreWorld } from '../store-gateways.ts'

const smallBytes = 1024
const largeBytes = 64 * mebibyte
const uploadParts = 64
const partBytes = 16 * mebibyte
const transfers = 64
const transferBytes = 16 * mebibyte
const leastShareOfDirect = 0.9
const mostAddedMs = 1.5

/** What is measured of each subject. */
interface Figure {
  readonly title: string
  readonly digits: number
  /** Whether more is better. */
  readonly isRate: boolean
  measure(server: RunningServer, context: BenchContext): Promise<number>
  /** Only of gateways. */
  readonly isOwn?: boolean
}

const smallKeys = Array.from({ length: 64 }, (_, index) => `small-${index}`)
const largeKeys = Array.from({ length: 4 }, (_, index) => `large-${index}`)
const get = (key: string): RequestShape => ({ method: 'GET', key })
const put = (bodyBytes: number) => (key: string) => ({ method: 'PUT', key, bodyBytes })

const smallGets = smallKeys.map(get)
const smallPuts = smallKeys.map(put(smallBytes))
const getGet64 = largeKeys.map(get)
const put64 = largeKeys.map(put(largeBytes))

function figuresOf(listedKeys: number): readonly Figure[] {
  return [
    latency('GET of 1 KiB, p50 ms', smallGets),
    latency('PUT of 1 KiB, p50 ms', smallPuts),
    rate('GETs of 1 KiB per second, 32 at once', smallGets, 32),
    rate('PUTs of 1 KiB per second, 32 at once', smallPuts, 32),
    throughput('GET of 64 MiB, MiB/s', getGet64, 1),
    throughput('PUT of 64 MiB, MiB/s', put64, 1),
    throughput('GETs of 64 MiB, 4 at once, MiB/s', getGet64, 4),
    throughput('PUTs of 64 MiB, 4 at once, MiB/s', put64, 4),
    {
      ...{ title: '1 GiB in 64 parts, one after the other, seconds', digits: 2, isRate: false },
      async measure(server) {
        const plan = { key: 'parts', parts: uploadParts, partBytes }
        return (await uploadInParts(server, plan)).totalMs / 1000
      },
    },
    {
      ...{ title: `list of ${listedKeys} keys, seconds`, digits: 2, isRate: false },
      async measure(server) {
        const startedAtMs = performance.now()
        const { keys } = await listAll(server)
        if (keys < listedKeys) throw new Error(`${keys} keys listed of ${listedKeys}`)
        return (performance.now() - startedAtMs) / 1000
      },
    },
    memory(`${transfers} GETs of 16 MiB at once, peak MiB above idle`, get),
    memory(`${transfers} PUTs of 16 MiB at once, peak MiB above idle`, put(transferBytes)),
    cpu('CPU ms of the gateway for a GET of 64 MiB', getGet64),
    cpu('CPU ms of the gateway for a PUT of 64 MiB', put64),
  ]
}

function load(server: RunningServer, shapes: readonly RequestShape[], connections: number) {
  const requests = shapes.map((shape) => prepareRequest(server, shape))
  return { port: server.port, connections, requests }
}

function latency(title: string, shapes: readonly RequestShape[]): Figure {
  return {
    ...{ title, digits: 2, isRate: false },
    async measure(server, { seconds }) {
      const job = load(server, shapes, 1)
      return (await generateLoad({ ...job, durationMs: seconds * 1000 })).p50Ms
    },
  }
}

function rate(title: string, shapes: readonly RequestShape[], connections: number): Figure {
  return {
    ...{ title, digits: 0, isRate: true },
    async measure(server, { seconds }) {
      const job = load(server, shapes, connections)
      const { requests, elapsedMs } = await generateLoad({ ...job, durationMs: seconds * 1000 })
      return requests / (elapsedMs / 1000)
    },
  }
}

function throughput(title: string, shapes: readonly RequestShape[], connections: number): Figure {
  const inRequests = rate(title, shapes, connections)
  return {
    ...inRequests,
    measure: async (server, context) =>
      ((await inRequests.measure(server, context)) * largeBytes) / mebibyte,
  }
}

function memory(title: string, shapeOf: (key: string) => RequestShape): Figure {
  const keys = Array.from({ length: transfers }, (_, index) => `transfer-${index}`)
  return {
    ...{ title, digits: 1, isRate: false, isOwn: true },
    async measure(server) {
      const idleBytes = residentBytes(server.pid)
      resetPeak(server.pid)
      await generateLoad({
        ...load(server, keys.map(shapeOf), transfers),
        totalRequests: 2 * transfers,
      })
      return (peakBytes(server.pid) - idleBytes) / mebibyte
    },
  }
}

function cpu(title: string, shapes: readonly RequestShape[]): Figure {
  return {
    ...{ title, digits: 0, isRate: false, isOwn: true },
    async measure(server) {
      const before = cpuSeconds(server.pid)
      await generateLoad({ ...load(server, shapes, 2), totalRequests: shapes.length })
      return ((cpuSeconds(server.pid) - before) * 1000) / shapes.length
    },
  }
}

/** The medians of a figure by subject. A subject that fails has no figure. */
type Row = ReadonlyMap<string, number>

async function run(context: BenchContext): Promise<Table> {
  const absence = absenceOfStore()
  if (absence !== undefined) {
    return { columns: [], rows: [], verdict: `not measured: the store is ${absence}` }
  }
  const listedKeys = Number(process.env.BENCH_LISTED_KEYS ?? 100_000)
  const folder = join(context.memoryFolder, 's3-drive')
  const world = await startStoreWorld(folder)
  try {
    await fill(world.store, listedKeys)
    const figures = figuresOf(listedKeys)
    const rows = new Map<Figure, Row>()
    for (const figure of figures) rows.set(figure, await measureAll(context, world, figure))
    return tabulate([...world.subjects.keys()], rows)
  } finally {
    await world.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Objects to get and to list. */
async function fill(store: RunningServer, listedKeys: number): Promise<void> {
  const listed = Array.from({ length: listedKeys }, (_, index) => `key-${index}`)
  const transferred = Array.from({ length: transfers }, (_, index) => `transfer-${index}`)
  for (const shapes of [
    ...[listed.map(put(1)), smallPuts, put64],
    transferred.map(put(transferBytes)),
  ]) {
    await generateLoad({ ...load(store, shapes, 16), totalRequests: shapes.length })
  }
}

/** In rounds, whose order is reversed each time. */
async function measureAll(
  context: BenchContext,
  { store, subjects }: StoreWorld,
  figure: Figure,
): Promise<Row> {
  const found = new Map<string, number[]>()
  for (let round = 1; round <= context.rounds; round++) {
    const order = [...subjects].filter(([, server]) => server !== store || !figure.isOwn)
    for (const [name, server] of round % 2 === 1 ? order : order.reverse()) {
      context.progress(`s3-drive ${round}/${context.rounds} ${figure.title}: ${name}`)
      const value = await figure.measure(server, context).catch((error: unknown) => {
        context.progress(String(error))
        return Number.NaN
      })
      found.set(name, [...(found.get(name) ?? []), value])
    }
  }
  return new Map([...found].map(([name, values]) => [name, median(values)]))
}

function tabulate(names: readonly string[], rows: ReadonlyMap<Figure, Row>): Table {
  const [direct = '', own = '', ...peers] = names
  const judged = [...rows].map(([figure, row]) => {
    const behind = peers.filter((peer) => !isAhead(figure, row.get(own), row.get(peer)))
    return { figure, row, behind, goal: goalOf(figure, row.get(direct), row.get(own)) }
  })
  const isBehind = judged.filter(({ behind }) => behind.length > 0)
  const goals = judged.flatMap(({ goal }) => goal ?? [])
  return {
    columns: ['', ...names, 'ahead of both'],
    rows: judged.map(({ figure, row, behind }) => [
      figure.title,
      ...names.map((name) => cellOf(figure, row.get(name))),
      behind.length === 0 ? 'yes' : `behind ${behind.join(' and ')}`,
    ]),
    verdict: [
      ...goals,
      verdict(
        `ahead of both in ${judged.length - isBehind.length} of ${judged.length} rows`,
        isBehind.length === 0,
      ),
    ].join('; '),
  }
}

function cellOf({ digits }: Figure, value: number | undefined): string {
  if (value === undefined) return ''
  return Number.isNaN(value) ? 'fails' : value.toFixed(digits)
}

function isAhead(figure: Figure, own = Number.NaN, peer = Number.NaN): boolean {
  if (Number.isNaN(peer)) return true
  return figure.isRate ? own >= peer : own <= peer
}

/** The goal of a figure, compared with the store. */
function goalOf(figure: Figure, direct = Number.NaN, own = Number.NaN): string | undefined {
  if (figure.title.endsWith('p50 ms')) {
    const added = own - direct
    return verdict(`${figure.title} +${added.toFixed(2)}`, added <= mostAddedMs)
  }
  if (!figure.title.endsWith('MiB/s')) return undefined
  const share = own / direct
  return verdict(`${figure.title} ${share.toFixed(2)} × directly`, share >= leastShareOfDirect)
}

export const s3DriveScenarios: readonly Scenario[] = [
  {
    name: 's3-drive',
    question: 'What do gateways over an S3 store cost, compared with the store itself?',
    target: `64 MiB at ${leastShareOfDirect} of the store; 1 KiB adds at most ${mostAddedMs} ms; ahead of rclone and versitygw in every row`,
    run,
  },
]
