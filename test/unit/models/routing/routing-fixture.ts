import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection } from '../../../../src/models/list/routing-inputs.ts'
import { DatabaseRoutingSource } from '../../../../src/models/routing/database-routing-source.ts'
import { routingApi } from '../../../../src/models/routing/routing-api.ts'
import type { FieldWarning } from '../../../../src/models/routing/routing-schemas.ts'
import { RoutingStore } from '../../../../src/models/routing/routing-store.ts'
import { RoutingTables } from '../../../../src/models/routing/routing-table.ts'
import type { ProbeReport } from '../../../../src/models/upstream/upstreams.ts'
import { ApiError } from '../../../../src/platform/json-api/api-error.ts'
import type { Route } from '../../../../src/platform/json-api/route.ts'
import type { Database } from '../../../../src/platform/state/database.ts'
import { openDatabase } from '../../../../src/platform/state/open-database.ts'
import { createSealer } from '../../../../src/platform/state/sealer.ts'
import { jsonSender } from '../../../support/json-sender.ts'
import { smallCatalogue } from '../../../support/small-catalogue.ts'

const routingPath = '/-/api/routing'
const session = { authorization: 'Bearer let me in' }

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came.
  readonly body: any
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  /** The `warnings` of the body, which `body` does not have. */
  readonly fieldWarnings: readonly FieldWarning[] | undefined
}

/** One gateway's view of a database. */
export interface RoutingGateway {
  readonly routes: readonly Route[]
  readonly source: DatabaseRoutingSource
  readonly store: RoutingStore
  /** Fields of the log lines. */
  readonly warnings: object[]
  /** Connections whose upstream was asked. */
  readonly probed: Connection[]
  /** What GET answers, with the keys themselves in place of their masks. */
  opened(): Promise<Answer['body']>
  /** A path below `/-/api/routing`, with a session by default. */
  send(
    method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
}

export const probeResult: ProbeReport = {
  outcome: 'ok',
  status: 200,
  modelCount: 3,
  message: 'it answered with 3 models',
  durationMs: 12.5,
}

export interface TestDatabase {
  readonly database: Database
  remove(): Promise<void>
}

export async function openTestDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'bucketry-routing-'))
  const path = join(folder, 'bucketry.db')
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  return {
    database,
    async remove() {
      await database.close()
      await rm(folder, { recursive: true })
    },
  }
}

export async function openRouting(
  database: Database,
  options: { readonly secretKey?: string; readonly now?: () => number } = {},
): Promise<RoutingGateway> {
  const { secretKey = 'a secret', now = () => 1_000 } = options
  const tables = new RoutingTables(database)
  const sealer = createSealer(secretKey, 'providerKeys')
  const store = new RoutingStore(tables)
  const warnings: object[] = []
  const probed: Connection[] = []
  const log = { warn: (fields: object) => void warnings.push(fields) }
  const routes = routingApi({
    ...{ store, sealer, now },
    catalogue: smallCatalogue,
    probe: async (connection) => {
      probed.push(connection)
      return probeResult
    },
    session: {
      admit({ headers }) {
        if (headers.authorization !== session.authorization)
          throw new ApiError(401, 'Log in first.')
      },
    },
  })
  const { send } = jsonSender(routes)
  const source = new DatabaseRoutingSource({ tables, sealer, log })
  const gateway: RoutingGateway = {
    ...{ routes, store, warnings, probed, source },
    async opened() {
      const { body } = await gateway.send('GET', '')
      const keys = new Map((await source.connections()).map(({ id, apiKey }) => [id, apiKey]))
      for (const connection of body.connections) {
        if ('apiKey' in connection) connection.apiKey = keys.get(connection.id)
      }
      return body
    },
    async send(method, path, body, headers = {}) {
      const answer = await send({
        method,
        url: routingPath + path,
        headers: { ...session, ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      })
      const { text } = answer
      const { warnings: fieldWarnings, ...rest } = text === '' ? {} : JSON.parse(text)
      return {
        status: answer.status,
        body: text === '' ? undefined : rest,
        fieldWarnings,
        headers: answer.headers,
        text,
      }
    },
  }
  return gateway
}
