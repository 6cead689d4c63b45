import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { databaseLocation } from '../../src/app/settings/parse-values.ts'
import { openDatabase } from '../../src/platform/state/open-database.ts'
import { createSealer } from '../../src/platform/state/sealer.ts'
import { detailsText } from '../../src/storage/access/access-key.ts'
import { AccessKeyTable } from '../../src/storage/access/access-key-table.ts'
import { MadeBucketTable } from '../../src/storage/buckets/made-bucket-table.ts'
import { signedFetch } from '../../test/support/signed-fetch.ts'
import type { Credentials } from '../../test/support/signed-request.ts'
import { generateLoad, prepareRequest } from '../load.ts'
import { cpuSeconds } from '../process-usage.ts'
import { inRounds } from '../rounds.ts'
import { type BenchContext, median, type Scenario, type Table, verdict } from '../scenario.ts'
import { bucket, bucketry } from '../server-kinds.ts'
import { startServer } from '../servers.ts'

const manyKeys = 10_000
/** Created at run time. */
const manyBuckets = 1_000
const listings = 20
const connections = 32
/** Access keys that take turns. */
const clients = 1_000
const insertedAtOnce = 1_000
const object = '0'

/** Many keys may cost a request a tenth more CPU time, and a start this much more. */
const mostTimes = 1.1
const mostStartMs = 100
/** For 1,000 buckets, in one reply. */
const mostListMs = 50

const variants = [
  { name: 'no keys, owner', keys: 0, buckets: 0, isOwner: true },
  { name: '10,000 keys, owner', keys: manyKeys, buckets: 0, isOwner: true },
  { name: '10,000 keys, 1,000 of them in turns', keys: manyKeys, buckets: 0, isOwner: false },
  {
    name: '10,000 keys, 1,000 buckets, owner',
    keys: manyKeys,
    buckets: manyBuckets,
    isOwner: true,
  },
] as const
type Variant = (typeof variants)[number]

function credentialsOf(index: number): Credentials {
  const { region } = bucketry.credentials
  return { accessKey: `BENCHKEY${index}`, secretKey: `secret of ${index}`, region }
}

function folderOf(root: string, { keys, buckets }: Pick<Variant, 'keys' | 'buckets'>): string {
  return join(root, `${keys}-${buckets}`)
}

/** Where the server has its database, and how to reach it. */
function databaseUrl(folder: string): string {
  return `sqlite:${folder}.db`
}

async function fill(folder: string, { keys, buckets }: Variant): Promise<void> {
  const database = await openDatabase(databaseLocation(databaseUrl(folder)), { migrate: true })
  const table = new AccessKeyTable(database)
  const sealer = createSealer(bucketry.credentials.secretKey, 'accessKeys')
  const grants = [{ bucket, prefix: '', actions: ['read', 'list'] }] as const
  for (let first = 0; first < keys; first += insertedAtOnce) {
    const edits = Array.from({ length: insertedAtOnce }, (_, offset) => {
      const { accessKey: accessKeyId, secretKey } = credentialsOf(first + offset)
      const json = detailsText({ name: accessKeyId, note: '', grants, limits: {} })
      const secret = sealer.seal(secretKey, accessKeyId)
      const row = { accessKeyId, secret, json, source: 'created' } as const
      return { kind: 'insert', row: { ...row, createdAtMs: 1, expiresAtMs: 0 } } as const
    })
    await table.edit(edits)
  }
  const names = Array.from({ length: buckets }, (_, index) => `bench-bucket-${index}`)
  if (buckets > 0) await new MadeBucketTable(database).addFound(names, 1)
  await database.close()
}

/** Starts the server again, and lets clients read one small object. */
async function measure(context: BenchContext, root: string, { keys, buckets, isOwner }: Variant) {
  const folder = folderOf(root, { keys, buckets })
  const environment = { DATABASE_URL: databaseUrl(folder) }
  const server = await startServer(bucketry, { folder, environment })
  try {
    const put = prepareRequest(server, { method: 'PUT', key: object, bodyBytes: 1_024 })
    await generateLoad({ port: server.port, connections: 1, requests: [put], totalRequests: 1 })
    const requests = Array.from({ length: clients }, (_, index) => {
      const credentials = isOwner ? bucketry.credentials : credentialsOf(index)
      const sender = { ...server, kind: { ...server.kind, credentials } }
      return prepareRequest(sender, { method: 'GET', key: object })
    })
    const job = { port: server.port, connections, requests }
    await generateLoad({ ...job, durationMs: 700 })
    const before = cpuSeconds(server.pid)
    const result = await generateLoad({ ...job, durationMs: context.seconds * 1_000 })
    const cpu = ((cpuSeconds(server.pid) - before) * 1e6) / result.requests
    const listMs = await listBuckets(server)
    const perSecond = (result.requests * 1e3) / result.elapsedMs
    return { startMs: server.startMs, perSecond, cpu, listMs }
  } finally {
    await server.stop()
  }
}

/** The median time of a reply to ListBuckets, milliseconds. */
async function listBuckets(server: Awaited<ReturnType<typeof startServer>>): Promise<number> {
  const host = `127.0.0.1:${server.port}`
  const times: number[] = []
  for (let sent = 0; sent < listings; sent += 1) {
    const startedAt = performance.now()
    const reply = await signedFetch(
      { host, credentials: bucketry.credentials },
      { method: 'GET', target: '/' },
    )
    await reply.text()
    if (reply.status !== 200) throw new Error(`ListBuckets: ${reply.status}`)
    times.push(performance.now() - startedAt)
  }
  return median(times)
}

async function compare(context: BenchContext): Promise<Table> {
  const root = join(context.memoryFolder, 'access-keys')
  try {
    // Each is started once before it is measured: the first start compiles its code.
    const distinct = variants.filter(({ isOwner }) => isOwner)
    for (const variant of distinct) {
      const folder = folderOf(root, variant)
      const first = await startServer(bucketry, {
        ...{ folder, environment: { DATABASE_URL: databaseUrl(folder) } },
      })
      await first.stop()
    }
    for (const variant of distinct.slice(1)) await fill(folderOf(root, variant), variant)
    const named = new Map(variants.map((variant) => [{ ...bucketry, name: variant.name }, variant]))
    const rounds = await inRounds(context, 'access-keys', named, (variant) =>
      measure(context, root, variant),
    )
    return tableOf([...rounds].map(([{ name }, measured]) => ({ name, measured })))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

type Measured = Awaited<ReturnType<typeof measure>>

function tableOf(results: readonly { name: string; measured: readonly Measured[] }[]): Table {
  const figures = results.map(({ name, measured }) => ({
    name,
    startMs: median(measured.map(({ startMs }) => startMs)),
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    cpu: median(measured.map(({ cpu }) => cpu)),
    listMs: median(measured.map(({ listMs }) => listMs)),
  }))
  const [none, ...others] = figures
  const nothing = Number.NaN
  const times = Math.max(...others.map(({ cpu }) => cpu / (none?.cpu ?? nothing)))
  const laterMs = Math.max(...others.map(({ startMs }) => startMs - (none?.startMs ?? nothing)))
  const slowestMs = Math.max(...figures.map(({ listMs }) => listMs))
  return {
    columns: [
      'in the database',
      'first reply ms',
      'requests/s',
      'CPU µs/request',
      'ListBuckets ms',
    ],
    rows: figures.map(({ name, startMs, perSecond, cpu, listMs }) => [
      ...[name, startMs.toFixed(0), perSecond.toFixed(0), cpu.toFixed(0), listMs.toFixed(1)],
    ]),
    verdict: [
      verdict(`${times.toFixed(2)} × the CPU time`, times <= mostTimes),
      verdict(`start ${laterMs.toFixed(0)} ms later`, laterMs <= mostStartMs),
      verdict(`ListBuckets ${slowestMs.toFixed(1)} ms`, slowestMs <= mostListMs),
    ].join('; '),
  }
}

export const accessKeyScenarios: readonly Scenario[] = [
  {
    name: 'access-keys',
    question:
      'What do 10,000 access keys and 1,000 buckets cost a start, a GET of 1 KiB and ListBuckets?',
    target: `at most ${mostTimes} × the CPU time, a start at most ${mostStartMs} ms later, ListBuckets within ${mostListMs} ms`,
    run: compare,
  },
]
