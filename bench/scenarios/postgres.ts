import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { StatementCounter } from '../../test/support/counting/statement-counter.ts'
import { startPostgres, type TestPostgres } from '../../test/support/start-postgres.ts'
import { generateLoad, prepareRequest } from '../load.ts'
import { begin, complete, sendParts, type UploadPlan } from '../multipart.ts'
import { cpuSeconds } from '../process-usage.ts'
import {
  type BenchContext,
  mebibyte,
  median,
  type Scenario,
  type Table,
  verdict,
} from '../scenario.ts'
import { bucketry } from '../server-kinds.ts'
import { type RunningServer, startServer } from '../servers.ts'

const partBytes = 16 * mebibyte
const puts = 100
const mostForPut = 1
const mostForPart = 6
const mostForSlowPart = 10
const mostTimesSqlite = 1.25

const keys = Array.from({ length: 1000 }, (_, index) => `object-${index}`)

/** Runs `measure` with a PostgreSQL server of Debian's package, or that of POSTGRES_URL. */
async function withPostgres(measure: (postgres: TestPostgres) => Promise<Table>): Promise<Table> {
  const postgres = await startPostgres()
  if (postgres === undefined) {
    return { columns: [], rows: [], verdict: 'not measured: PostgreSQL is not installed' }
  }
  try {
    return await measure(postgres)
  } finally {
    await postgres.stop()
  }
}

async function countStatements(context: BenchContext, postgres: TestPostgres): Promise<Table> {
  const folder = join(context.folder, 'postgres-statements')
  const counter = await StatementCounter.start(await postgres.createDatabase())
  const environment = { DATABASE_URL: counter.url, WORKERS: '1' }
  const server = await startServer(bucketry, { folder, environment })
  const rows: [name: string, perRequest: number, most: number][] = []
  const count = async (
    name: string,
    requests: number,
    most: number,
    send: () => Promise<unknown>,
  ) => {
    const before = counter.statements.length
    await send()
    rows.push([name, (counter.statements.length - before) / requests, most])
  }
  const countParts = async (name: string, most: number, plan: Omit<UploadPlan, 'partBytes'>) => {
    const uploadId = await begin(server, plan.key)
    const whole = { ...plan, partBytes }
    const keyOf = (number: number) => `${plan.key}?partNumber=${number}&uploadId=${uploadId}`
    await count(name, plan.parts, most, () => sendParts(server, whole, keyOf))
    await complete(server, uploadId, whole)
  }
  try {
    await count('PUT 1 KiB', puts, mostForPut, () => putSmall(server, { totalRequests: puts }, 1))
    await countParts('UploadPart, in turn', mostForPart, { key: 'turn', parts: 32 })
    await countParts('UploadPart, 4 at once', mostForPart, { key: 'four', parts: 32, atOnce: 4 })
    const bytesPerSecond = partBytes / 10
    await countParts('UploadPart that takes 10 s', mostForSlowPart, {
      ...{ key: 'slow', parts: 1, bytesPerSecond },
    })
  } finally {
    await server.stop()
    await counter.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return {
    columns: ['operation', 'statements', 'wanted'],
    rows: rows.map(([name, perRequest, most]) => [name, perRequest.toFixed(1), String(most)]),
    verdict: rows
      .map(([name, perRequest, most]) =>
        verdict(`${name} ${perRequest.toFixed(1)}`, perRequest <= most),
      )
      .join('; '),
  }
}

function putSmall(
  server: RunningServer,
  limit: { readonly totalRequests?: number; readonly durationMs?: number },
  connections = 32,
) {
  const shapes = keys.map((key) => ({ method: 'PUT', key, bodyBytes: 1024 }))
  const requests = shapes.map((shape) => prepareRequest(server, shape))
  return generateLoad({ port: server.port, connections, requests, ...limit })
}

async function compareWithSqlite(context: BenchContext, postgres: TestPostgres): Promise<Table> {
  const folder = join(context.folder, 'postgres-put')
  const environment = { DATABASE_URL: await postgres.createDatabase() }
  const servers = [
    await startServer(bucketry, { folder: join(folder, 'sqlite') }),
    await startServer(bucketry, { folder: join(folder, 'postgres'), environment }),
  ]
  const rates: number[][] = [[], []]
  const costs: number[][] = [[], []]
  try {
    for (let round = 0; round < context.rounds; round++) {
      for (const [index, server] of servers.entries()) {
        context.progress(`postgres-put ${round + 1}/${context.rounds}`)
        const cpuBefore = cpuSeconds(server.pid)
        const result = await putSmall(server, { durationMs: context.seconds * 1000 })
        const cpu = cpuSeconds(server.pid) - cpuBefore
        rates[index]?.push(result.requests / (result.elapsedMs / 1000))
        costs[index]?.push((cpu * 1e6) / result.requests)
      }
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
  const figuresOf = (index: number) => [median(rates[index] ?? []), median(costs[index] ?? [])]
  const [[, onSqlite = 0], [, onPostgres = 0]] = [figuresOf(0), figuresOf(1)]
  const ratio = onPostgres / onSqlite
  return {
    columns: ['database', 'PUTs of 1 KiB per second', 'CPU µs/request of the gateway'],
    rows: ['SQLite', 'PostgreSQL'].map((name, index) => [
      name,
      ...figuresOf(index).map((figure) => figure.toFixed(0)),
    ]),
    verdict: verdict(`${ratio.toFixed(2)} × the CPU time on SQLite`, ratio <= mostTimesSqlite),
  }
}

export const postgresScenarios: readonly Scenario[] = [
  {
    name: 'postgres-statements',
    question: 'How many statements does a request need on PostgreSQL?',
    target: `PUT ${mostForPut}, UploadPart ${mostForPart}, one that takes 10 s ${mostForSlowPart}`,
    run: (context) => withPostgres((postgres) => countStatements(context, postgres)),
  },
  {
    name: 'postgres-put',
    question: 'What does a PUT cost on PostgreSQL, compared with SQLite?',
    target: `at most ${mostTimesSqlite} × the CPU time`,
    run: (context) => withPostgres((postgres) => compareWithSqlite(context, postgres)),
  },
]
