import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RequestCounter } from '../../test/support/counting/request-counter.ts'
import { StatementCounter } from '../../test/support/counting/statement-counter.ts'
import { Random } from '../../test/support/random.ts'
import {
  installedStore,
  type StoreProcess,
  startStoreProcess,
} from '../../test/support/s3/store-process.ts'
import { type OwnPostgres, startOwnPostgres } from '../../test/support/start-postgres.ts'
import { type FleetSize, fullAt, type RequestKind, resourcesOf, simulate } from '../fleet-model.ts'
import { generateLoad, prepareRequest, type RequestShape } from '../load.ts'
import { begin, complete, sendParts } from '../multipart.ts'
import { cpuSeconds } from '../process-usage.ts'
import { type BenchContext, mebibyte, type Scenario, type Table } from '../scenario.ts'
import { bucket, bucketry } from '../server-kinds.ts'
import { type RunningServer, startServer } from '../servers.ts'

const gateways = 20
const coresPerGateway = 2
const databaseCores = 4
const storeCores = 16
const requestsPerSecond = 10_000
const simulatedRequests = 300_000
/** Shares of the requests. */
const shares = { 'GET 1 KiB': 0.7, HEAD: 0.15, 'PUT 1 KiB': 0.12, 'part of 5 MiB': 0.03 }
const keys = Array.from({ length: 200 }, (_, index) => `object-${index}`)
const parts = 64
const idleMs = 20_000

interface Measured {
  readonly name: keyof typeof shares
  readonly requests: number
  readonly seconds: number
  readonly gatewayCpuMs: number
  readonly databaseCpuMs: number
  readonly statements: number
  /** Of the store; 0 without one. */
  readonly storeCpuMs: number
  readonly storeRequests: number
}

interface Scene {
  readonly server: RunningServer
  readonly postgres: OwnPostgres
  readonly counter: StatementCounter
  readonly seconds: number
  readonly store?: { readonly process: StoreProcess; readonly counter: RequestCounter } | undefined
}

/** The model of a drive, from what was measured on it. */
interface DriveModel {
  readonly drive: FleetSize['drive']
  /** @param growth of the drive: 2 for a drive that is twice as large */
  driveMsOf(measured: Measured, growth: number): number
  /** What the columns about the store show. */
  readonly hasStore: boolean
  /** Names it at its size, and at the one that `growth` makes of it. */
  readonly names: readonly [measured: string, wanted: string]
  readonly growth: number
}

async function measureFleet(context: BenchContext, isStore: boolean): Promise<Table> {
  const postgres = await startOwnPostgres()
  if (postgres === undefined) {
    return { columns: [], rows: [], verdict: 'not measured: PostgreSQL is not installed' }
  }
  const cleaning = new AsyncDisposableStack()
  cleaning.defer(() => postgres.stop())
  try {
    const folder = join(context.folder, isStore ? 'fleet-store' : 'fleet')
    cleaning.defer(() => rmSync(folder, { recursive: true, force: true }))
    const store = isStore ? await openStore(folder, cleaning) : undefined
    const counter = await StatementCounter.start(await postgres.createDatabase())
    cleaning.defer(() => counter.close())
    const environment = { DATABASE_URL: counter.url, WORKERS: '2', ...store?.environment }
    const server = await startServer(bucketry, { folder, environment })
    cleaning.defer(() => server.stop())
    const scene: Scene = { server, postgres, counter, seconds: context.seconds, store }
    context.progress('fleet: idle')
    const idle = await measureIdle(scene)
    context.progress('fleet: requests')
    const measured = await measureRequests(scene)
    return tableOf(measured, idle, store === undefined ? fileSystem(measured) : store.model)
  } finally {
    await cleaning.disposeAsync()
  }
}

async function openStore(folder: string, cleaning: AsyncDisposableStack) {
  const name = installedStore()
  mkdirSync(folder, { recursive: true })
  const process = await startStoreProcess(name, { address: '127.0.0.1', folder, bucket })
  cleaning.defer(() => process.kill())
  const counter = await RequestCounter.start(process.url)
  cleaning.defer(() => counter.close())
  const environment = {
    DRIVE: `s3+${counter.url}`,
    S3_DRIVE_ACCESS_KEY: process.accessKey,
    S3_DRIVE_SECRET_KEY: process.secretKey,
  }
  const model: DriveModel = {
    drive: { name: `cores of the store (${name})`, servers: storeCores },
    driveMsOf: ({ storeCpuMs }, growth) => storeCpuMs / growth,
    hasStore: true,
    names: [`a store with ${storeCores} cores`, `a store with ${2 * storeCores} cores`],
    growth: 2,
  }
  return { process, counter, environment, model }
}

/** A shared file system that is as quick as this machine's. */
function fileSystem([put]: readonly Measured[]): DriveModel {
  const perSecond = put === undefined ? 0 : put.requests / put.seconds
  const writes = shares['PUT 1 KiB'] + shares['part of 5 MiB']
  const wanted = 1.5 * writes * requestsPerSecond
  return {
    drive: { name: 'durable writes of the file system', servers: 1 },
    driveMsOf: ({ name }, growth) =>
      name === 'GET 1 KiB' || name === 'HEAD' ? 0 : 1_000 / (growth * perSecond),
    hasStore: false,
    names: [
      'the file system of this machine',
      `a file system with ${wanted.toFixed(0)} durable writes/s`,
    ],
    growth: wanted / perSecond,
  }
}

/** Statements per second of a gateway without requests. */
async function measureIdle({ counter }: Scene): Promise<number> {
  const before = counter.statements.length
  await sleep(idleMs)
  return ((counter.statements.length - before) * 1_000) / idleMs
}

async function measureRequests(scene: Scene): Promise<readonly Measured[]> {
  const { server, seconds } = scene
  const all = (shape: Omit<RequestShape, 'key'>) => async () => {
    const requests = keys.map((key) => prepareRequest(server, { ...shape, key }))
    const { port } = server
    const load = { port, connections: 32, requests, durationMs: seconds * 1_000 }
    return (await generateLoad(load)).requests
  }
  return [
    await measure(scene, 'PUT 1 KiB', all({ method: 'PUT', bodyBytes: 1_024 })),
    await measure(scene, 'GET 1 KiB', all({ method: 'GET' })),
    await measure(scene, 'HEAD', all({ method: 'HEAD' })),
    await measure(scene, 'part of 5 MiB', () => uploadParts(server)),
  ]
}

/** Includes Create and Complete in the cost of the parts. */
async function uploadParts(server: RunningServer): Promise<number> {
  const plan = { key: 'upload', parts, partBytes: 5 * mebibyte, atOnce: 4 }
  const uploadId = await begin(server, plan.key)
  await sendParts(server, plan, (number) => `upload?partNumber=${number}&uploadId=${uploadId}`)
  await complete(server, uploadId, plan)
  return parts
}

async function measure(
  { server, postgres, counter, store }: Scene,
  name: Measured['name'],
  send: () => Promise<number>,
): Promise<Measured> {
  const used = () => ({
    gatewayCpuMs: cpuSeconds(server.pid) * 1_000,
    databaseCpuMs: cpuSeconds(postgres.pid) * 1_000,
    statements: counter.statements.length,
    storeCpuMs: store === undefined ? 0 : cpuSeconds(store.process.pid) * 1_000,
    storeRequests: store?.counter.requests ?? 0,
  })
  const [before, startedAt] = [used(), performance.now()]
  const requests = await send()
  const [after, seconds] = [used(), (performance.now() - startedAt) / 1_000]
  const perRequest = (what: keyof typeof before) =>
    // Processes that have ended are not counted, so the difference can be negative.
    Math.max(0, (after[what] - before[what]) / requests)
  return {
    ...{ name, requests, seconds },
    gatewayCpuMs: perRequest('gatewayCpuMs'),
    databaseCpuMs: perRequest('databaseCpuMs'),
    statements: perRequest('statements'),
    storeCpuMs: perRequest('storeCpuMs'),
    storeRequests: perRequest('storeRequests'),
  }
}

function tableOf(measured: readonly Measured[], idleStatements: number, model: DriveModel): Table {
  const mixAt = (growth: number): readonly RequestKind[] =>
    measured.map((one) => ({
      ...{ name: one.name, share: shares[one.name], driveMs: model.driveMsOf(one, growth) },
      ...{ gatewayCpuMs: one.gatewayCpuMs, databaseCpuMs: one.databaseCpuMs },
    }))
  const size: FleetSize = { gateways, coresPerGateway, databaseCores, drive: model.drive }
  const full = resourcesOf(size).map((resource) => ({
    ...{ name: resource.name, rate: fullAt(resource, mixAt(1)) },
  }))
  const [first] = full.toSorted((a, b) => a.rate - b.rate)
  const own = ['gateway CPU ms', 'PostgreSQL CPU ms', 'statements']
  const ofStore = model.hasStore ? ['store CPU ms', 'requests to the store'] : []
  const columns = ['what', ...own, ...ofStore, 'share']
  const row = (what: string, text: string) => [what, text, ...columns.slice(2).map(() => '')]
  return {
    columns,
    rows: [
      ...measured.map((one) => [
        one.name,
        ...[one.gatewayCpuMs, one.databaseCpuMs, one.statements].map(threeDigits),
        ...(model.hasStore ? [one.storeCpuMs, one.storeRequests].map(threeDigits) : []),
        String(shares[one.name]),
      ]),
      row('a gateway without requests', `${idleStatements.toFixed(1)} statements/s`),
      ...full.map(({ name, rate }) => row(`${name}: full at`, `${rate.toFixed(0)} requests/s`)),
      ...simulatedRows(size, model, mixAt).map(([what, text]) => row(what, text)),
    ],
    verdict:
      `${gateways} gateways of ${coresPerGateway} cores, PostgreSQL with ${databaseCores}: the bottleneck is ` +
      `the ${first?.name}, at ${first?.rate.toFixed(0)} requests/s`,
  }
}

function simulatedRows(
  size: FleetSize,
  { names: [measured, wanted], growth }: DriveModel,
  mixAt: (growth: number) => readonly RequestKind[],
): (readonly [string, string])[] {
  const timesOf = (mix: readonly RequestKind[], rate: number) => {
    const times = simulate({
      ...{ size, mix, requestsPerSecond: rate, requests: simulatedRequests },
      random: new Random(1),
    })
    const p99 = (name: string) =>
      times.get(name)?.at(Math.floor(0.99 * (times.get(name)?.length ?? 0)))
    return `p99 GET ${p99('GET 1 KiB')?.toFixed(1)} ms, PUT ${p99('PUT 1 KiB')?.toFixed(1)} ms`
  }
  return [
    ...[1_000, 5_000, requestsPerSecond].map(
      (rate) => [`simulated: ${rate} requests/s, ${measured}`, timesOf(mixAt(1), rate)] as const,
    ),
    ...[requestsPerSecond, 2 * requestsPerSecond].map(
      (rate) => [`simulated: ${rate} requests/s, ${wanted}`, timesOf(mixAt(growth), rate)] as const,
    ),
  ]
}

function threeDigits(value: number): string {
  return value.toFixed(3)
}

export const fleetScenarios: readonly Scenario[] = [
  {
    name: 'fleet-store',
    question: `What does a fleet of ${gateways} gateways over an S3 store need for ${requestsPerSecond} requests per second?`,
    target: 'none: which resource is the bottleneck',
    run: (context) => measureFleet(context, true),
  },
  {
    name: 'fleet',
    question: `What does a fleet of ${gateways} gateways over one file system need for ${requestsPerSecond} requests per second?`,
    target: 'none: which resource is the bottleneck',
    run: (context) => measureFleet(context, false),
  },
]
