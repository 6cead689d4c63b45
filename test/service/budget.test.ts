import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { inspect } from 'node:util'
import {
  CountedClient,
  type CountedOperation,
  countedOperations,
} from '../support/counting/counted-operations.ts'
import { StatementCounter } from '../support/counting/statement-counter.ts'
import {
  countSystemCalls,
  type SystemCalls,
  traceObstacle,
} from '../support/counting/system-calls.ts'
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { isFull } from '../support/test-groups.ts'

/** The median of requests sent one after the other, however busy the machine is. Of statements, the fewest. */
interface Costs {
  /** System calls on files, with SQLite; without the pages of SQLite. */
  readonly files: number
  /** Those of them that wait for the disk. Fewer fail as well: is every reply still durable? */
  readonly syncs: number
  /** Reads and writes of sockets. */
  readonly sockets: number
  /** Statements on PostgreSQL, BEGIN and COMMIT included. */
  readonly statements: number
}

/** Maximum costs. A change that raises one says in its commit why it is worth it. */
// biome-ignore format: one row for each operation
const budget: Readonly<Record<keyof typeof countedOperations, Costs>> = {
  'PUT 1 KiB': { files: 25, syncs: 3, sockets: 2, statements: 1 },
  'PUT 1 KiB over another': { files: 25, syncs: 3, sockets: 2, statements: 1 },
  'eight PUTs of 1 KiB at once': { files: 158, syncs: 13, sockets: 16, statements: 8 },
  'PUT 4 MiB': { files: 39, syncs: 3, sockets: 66, statements: 1 },
  'PUT 4 MiB, aws-chunked': { files: 39, syncs: 3, sockets: 66, statements: 1 },
  'GET 1 KiB, the first time': { files: 7, syncs: 0, sockets: 2, statements: 0 },
  'GET 1 KiB': { files: 4, syncs: 0, sockets: 2, statements: 0 },
  'GET 64 KiB of 4 MiB': { files: 3, syncs: 0, sockets: 2, statements: 0 },
  'GET of no object': { files: 5, syncs: 0, sockets: 2, statements: 0 },
  HEAD: { files: 1, syncs: 0, sockets: 2, statements: 0 },
  'ListObjectsV2, 10 keys': { files: 15, syncs: 0, sockets: 2, statements: 0 },
  'CopyObject 1 KiB': { files: 43, syncs: 3, sockets: 2, statements: 1 },
  DELETE: { files: 15, syncs: 1, sockets: 2, statements: 0 },
  CreateMultipartUpload: { files: 15, syncs: 3, sockets: 2, statements: 1 },
  AbortMultipartUpload: { files: 36, syncs: 3, sockets: 2, statements: 6 },
  'UploadPart 1 KiB, the first': { files: 22, syncs: 3, sockets: 2, statements: 6 },
  CompleteMultipartUpload: { files: 50, syncs: 6, sockets: 2, statements: 5 },
  'UploadPart 1 KiB, behind others': { files: 22, syncs: 3, sockets: 2, statements: 6 },
  // Periodic work of the gateway falls into the second, more of it on a busy machine.
  'UploadPart that takes 1 s': { files: 60, syncs: 4, sockets: 3, statements: 8 },
}
const warmUps = 2
/** Several times the longest pause of `Pace`. */
const pacedForMs = 60_000
/** During a request of a second, the gateway may also have a heartbeat (gateway-register.ts). */
const longForMs = 30_000
const countedRequests = 20
const settings = { WORKERS: '1', LOG_LEVEL: 'warn' }

interface Counted {
  readonly gateway: GatewayProcess
  readonly client: CountedClient
}

const obstacle = traceObstacle()
const postgres = obstacle === undefined ? await startPostgres() : undefined
const skip = postgres === undefined && (obstacle ?? "needs POSTGRES_URL or Debian's postgresql")

describe('What a request costs', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-budget-'))
  let counter: StatementCounter
  let onSqlite: Counted
  let onPostgres: Counted
  const report = new Map<string, string>()

  before(async () => {
    assert.ok(postgres)
    counter = await StatementCounter.start(await postgres.createDatabase())
    onSqlite = await startIn('sqlite')
    onPostgres = await startIn('postgres', { DATABASE_URL: counter.url })
  })

  async function startIn(name: string, others: Readonly<Record<string, string>> = {}) {
    const own = join(folder, name)
    mkdirSync(own)
    const gateway = await startGatewayProcess({ folder: own, settings: { ...settings, ...others } })
    return { gateway, client: new CountedClient(gateway) }
  }

  after(async () => {
    await Promise.all([onSqlite?.gateway.stop(), onPostgres?.gateway.stop()])
    await counter?.close()
    await postgres?.stop()
    rmSync(folder, { recursive: true })
    if (isFull) console.log(`Measured, of the budget:\n${[...report.values()].join('\n')}`)
  })

  for (const [name, operation] of Object.entries<CountedOperation>(countedOperations)) {
    it(`${name} stays within its budget`, async () => {
      const expected = budget[name as keyof typeof budget]
      const { isPaced, isLong } = operation
      const giveUpAt = performance.now() + (isPaced ? pacedForMs : isLong ? longForMs : 0)
      for (;;) {
        const { measured, details } = await costsOf(operation)
        report.set(name, reportLine(name, measured, expected))
        if (isWithin(measured, expected, operation.tolerance)) return
        const isTooLate = performance.now() > giveUpAt
        assert.ok(
          !isTooLate,
          `the budget is ${inspect(expected)}: ${inspect(details, { depth: 3 })}`,
        )
        await setTimeout(500)
      }
    })
  }

  async function costsOf(operation: CountedOperation) {
    const calls = await callsOf(operation)
    const statements = await statementsOf(operation)
    const measured: Costs = {
      files: median(calls.map(({ files }) => files)),
      syncs: median(calls.map(({ syncs }) => syncs)),
      sockets: median(calls.map(({ sockets }) => sockets)),
      statements: Math.min(...statements.map(({ length }) => length)),
    }
    const last = { calls: calls.at(-1)?.names, statements: statements.at(-1) }
    return { measured, details: { measured, ...last } }
  }

  async function callsOf(operation: CountedOperation): Promise<SystemCalls[]> {
    const { gateway, client } = onSqlite
    const indexes = await warmUp(client, operation)
    const requests = indexes.map((index) => () => operation.run(client, index))
    return countSystemCalls(gateway.pid, join(folder, 'trace'), requests)
  }

  async function statementsOf(operation: CountedOperation): Promise<string[][]> {
    const { client } = onPostgres
    const all: string[][] = []
    for (const index of await warmUp(client, operation)) {
      const before = counter.statements.length
      await operation.run(client, index)
      all.push(counter.statements.slice(before))
    }
    return all
  }
})

/** Sends what is not counted, and returns the indexes of the requests to count. */
async function warmUp(client: CountedClient, operation: CountedOperation): Promise<number[]> {
  const { prepare, run, isLong = false } = operation
  const skipped = isLong ? 0 : warmUps
  const total = skipped + (isLong ? 1 : countedRequests)
  const indexes = Array.from({ length: total }, (_, index) => index)
  for (const index of indexes) await prepare?.(client, index)
  for (const index of indexes.splice(0, skipped)) await run(client, index)
  return indexes
}

function isWithin(measured: Costs, expected: Costs, tolerance = 0): boolean {
  const isBelow = Object.entries(expected).every(
    ([cost, limit]) => measured[cost as keyof Costs] <= limit * (1 + tolerance),
  )
  return isBelow && measured.syncs >= expected.syncs * (1 - tolerance)
}

/** `PUT 1 KiB: files 24 of 24, syncs 3 of 3, …` */
function reportLine(name: string, measured: Costs, expected: Costs): string {
  const costs = Object.entries(expected).map(
    ([cost, limit]) => `${cost} ${measured[cost as keyof Costs]} of ${limit}`,
  )
  return `${name}: ${costs.join(', ')}`
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
