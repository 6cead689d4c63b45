import { Client, Pool, type PoolClient, type PoolConfig, types } from 'pg'
import { DatabaseError } from '../database.ts'

/** Connections of one process, by use. A write waits for the disk. */
const maxReaders = 4
const maxWriters = 6

const connectTimeoutMs = 5_000
/** The server gives up first, so that the connection stays usable; otherwise, the client does. */
const statementTimeoutMs = 15_000
const answerTimeoutMs = 20_000

const isolationSetting = 'default_transaction_isolation'

const int8 = types.builtins.INT8
const numeric = types.builtins.NUMERIC

/** The settings for all connections, serving or migrating. */
export function connectionSettings(url: string): PoolConfig {
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

export function connectReaders(url: string): Pool {
  return connect({ ...connectionSettings(url), max: maxReaders })
}

export interface Writer {
  readonly client: PoolClient
  /** Whether a statement outside of BEGIN and COMMIT is a serializable transaction too. */
  readonly isSerializable: boolean
}

/**
 * Connections whose transactions are serializable by default, so that a single statement needs no
 * BEGIN and COMMIT. Readers have connections of their own: a serializable SELECT would let writes
 * fail that do not conflict.
 */
export class Writers {
  readonly #pool: Pool
  readonly #serializable = new WeakSet<object>()

  constructor(url: string) {
    const connectionString = addOption(url, `-c ${isolationSetting}=serializable`)
    this.#pool = connect({
      ...connectionSettings(connectionString),
      max: maxWriters,
      // A connection pooler between may drop the option.
      onConnect: async (client) => {
        const { rows } = await client.query(`SHOW ${isolationSetting}`)
        if (rows[0]?.[isolationSetting] === 'serializable') this.#serializable.add(client)
      },
    })
  }

  /** Calls that wait for a connection. */
  get waiting(): number {
    return this.#pool.waitingCount
  }

  async take(): Promise<Writer> {
    const client = await this.#pool.connect()
    return { client, isSerializable: this.#serializable.has(client) }
  }

  end(): Promise<void> {
    return this.#pool.end()
  }
}

function connect(settings: PoolConfig): Pool {
  const pool = new Pool({
    ...settings,
    statement_timeout: statementTimeoutMs,
    query_timeout: answerTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    allowExitOnIdle: true,
  })
  // The pool drops an idle connection that breaks; one in use also fails its query. Without a
  // listener, either would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** The URL with an option for the server, besides those of the URL or PGOPTIONS. */
function addOption(url: string, option: string): string {
  // The driver's own reading of both, which has no type.
  const { connectionParameters } = new Client({ connectionString: url }) as Client & {
    readonly connectionParameters?: { readonly options?: string }
  }
  const added = new URL(url)
  added.searchParams.set('options', `${connectionParameters?.options ?? ''} ${option}`.trim())
  return added.href
}
