import { setTimeout as wait } from 'node:timers/promises'
import { Client, type ClientConfig, types } from 'pg'
import { DatabaseError } from '../database.ts'
import type { PooledConnection } from './connection-pool.ts'
import {
  isNotReady,
  isTooManyConnections,
  isUnknownSetting,
  toPostgresError,
} from './postgres-errors.ts'

const connectTimeoutMs = 5_000
/** The server's time limit is shorter than the client's, so that the connection stays usable after it. */
const statementTimeoutMs = 15_000
const answerTimeoutMs = 20_000

/** How long to wait for the server when a connection is closed. */
const endLimitMs = 2_000

const patienceMs = 20_000
const patiencePauseMs = 200

const isolationSetting = 'default_transaction_isolation'

/**
 * How many more connections the server accepts from ordinary roles. `reserved_connections` exists since version 16. An
 * ordinary role sees the `backend_type` of its own sessions only. It recognizes the sessions of other clients by their
 * database and user.
 */
const room = `CAST(current_setting('max_connections') AS INTEGER)
  - CAST(current_setting('superuser_reserved_connections') AS INTEGER)
  - CAST(COALESCE(current_setting('reserved_connections', true), '0') AS INTEGER)
  - (SELECT count(*) FROM pg_stat_activity WHERE datid IS NOT NULL AND usesysid IS NOT NULL
      AND COALESCE(backend_type, 'client backend') = 'client backend')`
const selectState = `SELECT current_setting('${isolationSetting}') AS isolation, ${room} AS room`

/** Sets up a transaction on a connection that has no settings of its own. */
const beginWithLimits = `BEGIN ISOLATION LEVEL SERIALIZABLE;
  SET LOCAL statement_timeout = ${statementTimeoutMs};
  SET LOCAL idle_in_transaction_session_timeout = ${statementTimeoutMs}`

const int8 = types.builtins.INT8
const numeric = types.builtins.NUMERIC

/** The settings for all connections, serving or migrating. A pooler accepts them. */
export function connectionSettings(url: string): ClientConfig {
  return {
    connectionString: url,
    application_name: 'bucketry',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    types: {
      // The driver returns 64-bit integers as text; ours fit a double (database.ts).
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === int8 || oid === numeric ? Number : types.getTypeParser(oid, format)) as never,
    },
  }
}

/** Host and database of a URL, without user and password. */
export function nameOfPostgres(url: string): string {
  if (!URL.canParse(url)) throw new DatabaseError('expected a database URL postgres://…')
  const { host, pathname } = new URL(url)
  return `postgres://${host}${pathname}`
}

/** The driver's client. Its type lacks `ref` and `unref`. */
type OpenClient = Client & { ref(): void; unref(): void }

interface ServerState {
  readonly isolation?: string
  readonly room?: number
}

/** A connection for the calls of a serving process. */
export class PostgresConnection implements PooledConnection {
  readonly client: OpenClient
  readonly room: number | undefined
  /** Begins a serializable transaction. Undefined if each single statement already is one. */
  readonly begin: string | undefined
  isBroken = false

  constructor(client: OpenClient, { isolation, room }: ServerState) {
    this.client = client
    this.room = room
    this.begin = isolation === 'serializable' ? undefined : beginWithLimits
    // The call in progress fails with the same error. Without a listener, it would end the process.
    for (const event of ['error', 'end'] as const) {
      client.on(event, () => {
        this.isBroken = true
      })
    }
  }

  setIdle(isIdle: boolean): void {
    if (isIdle) this.client.unref()
    else this.client.ref()
  }

  async close(): Promise<void> {
    if (!this.isBroken) this.client.ref()
    await endClient(this.client)
  }
}

/** Closes a connection, even if the server does not respond. Never rejects. */
export async function endClient(client: Client): Promise<void> {
  const ending = client.end().catch(() => undefined)
  const late = new AbortController()
  const { signal } = late
  await Promise.race([ending, wait(endLimitMs, undefined, { signal }).catch(() => undefined)])
  late.abort()
  // Otherwise, a half-open connection would stay open for as long as the system retries. The type lacks `connection`.
  const { connection } = client as Client & { connection?: { stream?: { destroy(): void } } }
  connection?.stream?.destroy()
}

/**
 * Opens the connections of a serving process. The transactions of writers are serializable by default, so that a single
 * statement needs no BEGIN and COMMIT. Readers have their own connections: a serializable SELECT would make writes fail
 * that do not conflict.
 *
 * A pooler in transaction mode accepts no connection settings. Each transaction of a writer then sets its own
 * (https://www.pgbouncer.org/features.html).
 */
export class PostgresConnector {
  readonly #url: string
  readonly #serializableUrl: string
  #isPooled = false

  constructor(url: string) {
    this.#url = url
    this.#serializableUrl = addOption(url, `-c ${isolationSetting}=serializable`)
  }

  /** Whether the server is known to be a pooler, which shares connections with others. */
  get isPooled(): boolean {
    return this.#isPooled
  }

  openReader(): Promise<PostgresConnection> {
    return this.#open(this.#url)
  }

  openWriter(): Promise<PostgresConnection> {
    return this.#open(this.#serializableUrl)
  }

  async #open(url: string): Promise<PostgresConnection> {
    if (this.#isPooled) return await this.#openPooled()
    try {
      return await connect(
        {
          ...connectionSettings(url),
          statement_timeout: statementTimeoutMs,
          idle_in_transaction_session_timeout: statementTimeoutMs,
        },
        selectState,
      )
    } catch (error) {
      if (!isUnknownSetting(error)) throw error
      this.#isPooled = true
      return await this.#openPooled()
    }
  }

  #openPooled(): Promise<PostgresConnection> {
    return connect(connectionSettings(this.#url))
  }
}

async function connect(config: ClientConfig, select?: string): Promise<PostgresConnection> {
  const client = new Client({ ...config, query_timeout: answerTimeoutMs }) as OpenClient
  // Connecting rejects with the same error.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const result = select === undefined ? undefined : await client.query<ServerState>(select)
    return new PostgresConnection(client, result?.rows[0] ?? {})
  } catch (error) {
    void endClient(client)
    throw error
  }
}

/**
 * Opens a connection for one long task. Waits while the server has no free connection or is recovering.
 *
 * @throws DatabaseError
 */
export async function connectPatiently(
  url: string,
  config: Pick<ClientConfig, 'query_timeout'> = {},
): Promise<Client> {
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    const client = new Client({ ...connectionSettings(url), ...config })
    // The current query rejects with the same error.
    client.on('error', () => undefined)
    try {
      await client.connect()
      return client
    } catch (error) {
      const mayWait = isTooManyConnections(error) || isNotReady(error)
      if (mayWait && performance.now() < giveUpAt) await pause()
      else throw toPostgresError(error, nameOfPostgres(url))
    }
  }
}

function pause(): Promise<void> {
  return wait(patiencePauseMs * (0.5 + Math.random()))
}

/** Adds an option for the server to those of the URL or PGOPTIONS. */
function addOption(url: string, option: string): string {
  // Parsed by the driver's own function, which has no type.
  const { connectionParameters } = new Client({ connectionString: url }) as Client & {
    readonly connectionParameters?: { readonly options?: string }
  }
  const added = new URL(url)
  added.searchParams.set('options', `${connectionParameters?.options ?? ''} ${option}`.trim())
  return added.href
}
