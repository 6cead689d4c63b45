import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StatementCounter } from '../../test/support/counting/statement-counter.ts'
import { Random } from '../../test/support/random.ts'
import { type OwnPostgres, startOwnPostgres } from '../../test/support/start-postgres.ts'
import { type FleetSize, fullAt, type RequestKind, resourcesOf, simulate } from '../fleet-model.ts'
import { generateLoad, prepareRequest, type RequestShape } from '../load.ts'
import { begin, complete, sendParts } from '../multipart.ts'
import { cpuSeconds } from '../process-usage.ts'
import { type BenchContext, mebibyte, type Scenario, type Table } from '../scenario.ts'
import { bucketry } from '../server-kinds.ts'
import { type RunningServer, startServer } from '../servers.ts'

const gateways = 20
const coresPerGateway = 2
const databaseCores = 4
const requestsPerSecond = 10_000
const simulatedRequests = 300_000
/** Shares of the requests. */
const shares = { 'GET 1 KiB': 0.7, HEAD: 0.15, 'PUT 1 KiB': 0.12, 'part of 5 MiB': 0.03 }
const keys = Array.from({ length: 1_000 }, (_, index) => `object-${index}`)
const parts = 64
const idleMs = 20_000

interface Measured {
  readonly name: keyof typeof shares
  readonly requests: number
  readonly seconds: number
  readonly gatewayCpuMs: number
  readonly databaseCpuMs: number
  readonly statements: number
}

interface Scene {
  readonly server: RunningServer
  readonly postgres: OwnPostgres
  readonly counter: StatementCounter
  readonly seconds: number
}

async function measureFleet(context: BenchContext): Promise<Table> {
  const postgres = await startOwnPostgres()
  if (postgres === undefined) {
    return { columns: [], rows: [], verdict: 'not measured: PostgreSQL is not installed' }
  }
  const counter = await StatementCounter.start(await postgres.createDatabase())
  const folder = join(context.folder, 'fleet')
  const environment = { DATABASE_URL: counter.url, WORKERS: '2' }
  const server = await startServer(bucketry, { folder, environment })
  const scene: Scene = { server, postgres, counter, seconds: context.seconds }
  try {
    context.progress('fleet: idle')
    const idle = await measureIdle(scene)
    context.progress('fleet: requests')
    return tableOf(await measureRequests(scene), idle)
  } finally {
    await server.stop()
    await counter.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
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
  { server, postgres, counter }: Scene,
  name: Measured['name'],
  send: () => Promise<number>,
): Promise<Measured> {
  const used = () => ({
    gateway: cpuSeconds(server.pid),
    database: cpuSeconds(postgres.pid),
    statements: counter.statements.length,
  })
  const [before, startedAt] = [used(), performance.now()]
  const requests = await send()
  const [after, seconds] = [used(), (performance.now() - startedAt) / 1_000]
  return {
    ...{ name, requests, seconds },
    gatewayCpuMs: ((after.gateway - before.gateway) * 1_000) / requests,
    // Processes that have ended are not counted, so the difference can be negative.
    databaseCpuMs: Math.max(0, ((after.database - before.database) * 1_000) / requests),
    statements: (after.statements - before.statements) / requests,
  }
}

function tableOf(measured: readonly Measured[], idleStatements: number): Table {
  const mix: readonly RequestKind[] = measured.map(({ name, gatewayCpuMs, databaseCpuMs }) => ({
    ...{ name, gatewayCpuMs, databaseCpuMs, share: shares[name] },
    isDurable: name !== 'GET 1 KiB' && name !== 'HEAD',
  }))
  const [put] = measured
  const durableWritesPerSecond = put === undefined ? 0 : put.requests / put.seconds
  const size: FleetSize = { gateways, coresPerGateway, databaseCores, durableWritesPerSecond }
  const [first] = resourcesOf(size)
    .map((resource) => ({ name: resource.name, rate: fullAt(resource, mix) }))
    .sort((a, b) => a.rate - b.rate)
  return {
    columns: ['what', 'gateway CPU ms', 'PostgreSQL CPU ms', 'statements', 'share'],
    rows: [
      ...measured.map((one) => [
        one.name,
        ...[one.gatewayCpuMs, one.databaseCpuMs, one.statements].map((value) => value.toFixed(3)),
        String(shares[one.name]),
      ]),
      ['a gateway without requests, per second', '', '', idleStatements.toFixed(1), ''],
      ...modelRows(size, mix),
    ],
    verdict:
      `${gateways} gateways of ${coresPerGateway} cores, PostgreSQL with ${databaseCores}: the bottleneck is ` +
      `the ${first?.name}, at ${first?.rate.toFixed(0)} requests/s`,
  }
}

function modelRows(size: FleetSize, mix: readonly RequestKind[]): string[][] {
  const writes = mix.reduce((sum, { isDurable, share }) => sum + (isDurable ? share : 0), 0)
  const wanted = { ...size, durableWritesPerSecond: 1.5 * writes * requestsPerSecond }
  const timesOf = (one: FleetSize, rate: number) => {
    const times = simulate({
      ...{ size: one, mix, requestsPerSecond: rate, requests: simulatedRequests },
      random: new Random(1),
    })
    const p99 = (name: string) =>
      times.get(name)?.at(Math.floor(0.99 * (times.get(name)?.length ?? 0)))
    return `p99 GET ${p99('GET 1 KiB')?.toFixed(1)} ms, PUT ${p99('PUT 1 KiB')?.toFixed(1)} ms`
  }
  return [
    ...resourcesOf(size).map((resource) => [
      `${resource.name}: full at`,
      `${fullAt(resource, mix).toFixed(0)} requests/s`,
      ...['', '', ''],
    ]),
    ...[1_000, 5_000, requestsPerSecond].map((rate) => [
      `simulated: ${rate} requests/s, the file system of this machine`,
      ...[timesOf(size, rate), '', '', ''],
    ]),
    ...[requestsPerSecond, 2 * requestsPerSecond].map((rate) => [
      `simulated: ${rate} requests/s, a file system with ${wanted.durableWritesPerSecond} durable writes/s`,
      ...[timesOf(wanted, rate), '', '', ''],
    ]),
  ]
}

export const fleetScenarios: readonly Scenario[] = [
  {
    name: 'fleet',
    question: `What does a fleet of ${gateways} gateways need for ${requestsPerSecond} requests per second?`,
    target: 'none: which resource is the bottleneck',
    run: measureFleet,
  },
]
