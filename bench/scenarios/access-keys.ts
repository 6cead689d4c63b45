import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { detailsText } from '../../src/access/access-key.ts'
import { openDatabase } from '../../src/state/open-database.ts'
import { createSealer } from '../../src/state/sealer.ts'
import { AccessKeyTable } from '../../src/state/stores/access-keys.ts'
import { databaseLocation } from '../../src/wiring/settings/parse-locations.ts'
import type { Credentials } from '../../test/support/signed-request.ts'
import { generateLoad, prepareRequest } from '../load.ts'
import { cpuSeconds } from '../process-usage.ts'
import { inRounds } from '../rounds.ts'
import { type BenchContext, median, type Scenario, type Table, verdict } from '../scenario.ts'
import { bucket, bucketry } from '../server-kinds.ts'
import { startServer } from '../servers.ts'

const manyKeys = 10_000
const connections = 32
/** Access keys that take turns. */
const clients = 1_000
const insertedAtOnce = 1_000
const object = '0'

/** Many keys may cost a request a tenth more CPU time, and a start this much more. */
const mostTimes = 1.1
const mostStartMs = 100

const variants = [
  { name: 'no keys, owner', keys: 0, isOwner: true },
  { name: '10,000 keys, owner', keys: manyKeys, isOwner: true },
  { name: '10,000 keys, 1,000 of them in turns', keys: manyKeys, isOwner: false },
] as const
type Variant = (typeof variants)[number]

function credentialsOf(index: number): Credentials {
  const { region } = bucketry.credentials
  return { accessKey: `BENCHKEY${index}`, secretKey: `secret of ${index}`, region }
}

/** Where the server has its database, and how to reach it. */
function databaseUrl(folder: string): string {
  return `sqlite:${folder}.db`
}

async function fill(folder: string, keys: number): Promise<void> {
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
  await database.close()
}

/** Starts the server again, and lets clients read one small object. */
async function measure(context: BenchContext, root: string, { keys, isOwner }: Variant) {
  const folder = join(root, String(keys))
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
    return { startMs: server.startMs, perSecond: (result.requests * 1e3) / result.elapsedMs, cpu }
  } finally {
    await server.stop()
  }
}

async function compare(context: BenchContext): Promise<Table> {
  const root = join(context.memoryFolder, 'access-keys')
  try {
    // Each is started once before it is measured: the first start compiles its code.
    for (const { keys } of variants) {
      const folder = join(root, String(keys))
      const first = await startServer(bucketry, {
        ...{ folder, environment: { DATABASE_URL: databaseUrl(folder) } },
      })
      await first.stop()
    }
    await fill(join(root, String(manyKeys)), manyKeys)
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
  }))
  const [none, ...others] = figures
  const nothing = Number.NaN
  const times = Math.max(...others.map(({ cpu }) => cpu / (none?.cpu ?? nothing)))
  const laterMs = Math.max(...others.map(({ startMs }) => startMs - (none?.startMs ?? nothing)))
  return {
    columns: ['access keys', 'first reply ms', 'requests/s', 'CPU µs/request'],
    rows: figures.map(({ name, startMs, perSecond, cpu }) => [
      ...[name, startMs.toFixed(0), perSecond.toFixed(0), cpu.toFixed(0)],
    ]),
    verdict: [
      verdict(`${times.toFixed(2)} × the CPU time`, times <= mostTimes),
      verdict(`start ${laterMs.toFixed(0)} ms later`, laterMs <= mostStartMs),
    ].join('; '),
  }
}

export const accessKeyScenarios: readonly Scenario[] = [
  {
    name: 'access-keys',
    question: 'What do 10,000 access keys cost a start and a GET of 1 KiB?',
    target: `at most ${mostTimes} × the CPU time, and a start at most ${mostStartMs} ms later`,
    run: compare,
  },
]
