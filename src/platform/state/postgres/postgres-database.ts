import { setTimeout as wait } from 'node:timers/promises'
import { type Client, type QueryConfig, type QueryResult, DatabaseError as ServerError } from 'pg'
import {
  type CallOptions,
  type Database,
  DatabaseError,
  type OnSignal,
  type Signals,
  type SqlValue,
  type Statement,
  UnmetChange,
  type WriteResult,
} from '../database.ts'
import { numberPlaceholders } from '../statements.ts'
import { ConnectionPool } from './connection-pool.ts'
import {
  nameOfPostgres,
  type PostgresConnection,
  PostgresConnector,
} from './postgres-connections.ts'
import {
  isConflict,
  isTooManyConnections,
  keepsConnection,
  toPostgresError,
} from './postgres-errors.ts'
import { PostgresSignals, withSignal } from './postgres-signals.ts'

/** How long to retry a write that conflicts with others on the same rows. */
const conflictRetryMs = 10_000
const maxConflictPauseMs = 100

/** Maximum number of cached converted statements. There are few, see StatementCache. */
const maxConverted = 1_000

/** The share of connections for reads. Writes need more, because they wait for the disk. */
const readerShare = 0.4

export interface PostgresOptions {
  /** Connections of this process; at least 2, of which one is for reads. */
  readonly connections: number
  /** Called with the reason when the server allows fewer connections. */
  readonly onShortage?: ((error: DatabaseError) => void) | undefined
}

interface Converted {
  readonly text: string
  /** The first table of the call's statements. */
  readonly table: string
}

/** The pools replace lost connections at the next call; connections keep no state between calls. */
export class PostgresDatabase implements Database {
  readonly kind = 'postgres'
  /** Not the transaction's time, because its first statement may have waited. */
  readonly clockSql = 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS DOUBLE PRECISION)'
  readonly #name: string
  readonly #readers: ConnectionPool<PostgresConnection>
  readonly #writers: ConnectionPool<PostgresConnection>
  readonly #signals: PostgresSignals
  readonly #converted = new Map<string, Converted>()
  readonly #running = new Set<Promise<unknown>>()
  #isClosed = false

  /** @param url `postgres://user:password@host:port/database?sslmode=…`; connects at the first call. */
  constructor(url: string, { connections, onShortage }: PostgresOptions) {
    this.#name = nameOfPostgres(url)
    const connector = new PostgresConnector(url)
    const readers = Math.max(1, Math.floor(connections * readerShare))
    const common = {
      isRefusal: isTooManyConnections,
      onRefusal: (error: unknown) => onShortage?.(toPostgresError(error, this.#name)),
    }
    const [openReader, openWriter] = [() => connector.openReader(), () => connector.openWriter()]
    this.#readers = new ConnectionPool({ ...common, most: readers, open: openReader })
    this.#writers = new ConnectionPool({ ...common, most: connections - readers, open: openWriter })
    this.#signals = new PostgresSignals(url, {
      send: (sql, params) => this.read(sql, params),
      isPossible: () => !connector.isPooled,
    })
  }

  read<Row>(
    sql: string,
    params: readonly SqlValue[] = [],
    options: CallOptions = {},
  ): Promise<Row[]> {
    return this.#track(() => this.#select<Row>({ sql, params }, new TimeLimit(options)))
  }

  get waiting(): number {
    return this.#readers.waiting + this.#writers.waiting
  }

  write(statements: readonly Statement[], options: CallOptions = {}): Promise<WriteResult[]> {
    return this.#track(() => this.#writeUntilKept(statements, new TimeLimit(options)))
  }

  subscribe(onSignal: OnSignal): Signals {
    return this.#signals.subscribe(onSignal)
  }

  async clockMs(): Promise<number> {
    const [row] = await this.read<{ ms: number }>(`SELECT ${this.clockSql} AS ms`)
    if (row === undefined) throw new DatabaseError(`the database ${this.#name} returned no time`)
    return Number(row.ms)
  }

  async check(): Promise<void> {
    await this.read('SELECT 1 AS one')
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#signals.close()
    await Promise.allSettled(this.#running)
    await Promise.all([this.#readers.end(), this.#writers.end()])
  }

  async #select<Row>({ sql, params }: Statement, limit: TimeLimit): Promise<Row[]> {
    const { text, table } = this.#convert(sql)
    try {
      const connection = await this.#readers.take(table, limit.leftMs)
      let isUsable = true
      try {
        const { rows } = await limit.query(connection.client, text, params)
        return rows as Row[]
      } catch (error) {
        isUsable = isAnswer(error)
        throw error
      } finally {
        this.#readers.release(connection, isUsable)
      }
    } catch (error) {
      throw toPostgresError(error, this.#name)
    }
  }

  async #writeUntilKept(
    statements: readonly Statement[],
    limit: TimeLimit,
  ): Promise<WriteResult[]> {
    const giveUpAt = performance.now() + Math.min(conflictRetryMs, limit.leftMs ?? Infinity)
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, maxConflictPauseMs)) {
      try {
        return await this.#writeOnce(statements, limit)
      } catch (error) {
        if (error instanceof UnmetChange) throw error
        if (!isConflict(error) || performance.now() >= giveUpAt) {
          throw toPostgresError(error, this.#name)
        }
      }
      await wait(Math.random() * pauseMs)
    }
  }

  /** Runs the call unless closed, and lets `close` wait for it. */
  async #track<Result>(run: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new DatabaseError(`the database ${this.#name} is closed`)
    const call = run()
    this.#running.add(call)
    try {
      return await call
    } finally {
      this.#running.delete(call)
    }
  }

  /** As with SQLite, the effect is as if the calls ran one after another. */
  async #writeOnce(statements: readonly Statement[], limit: TimeLimit): Promise<WriteResult[]> {
    const [first] = statements
    if (first === undefined) return []
    const connection = await this.#writers.take(this.#convert(first.sql).table, limit.leftMs)
    const { client, begin } = connection
    let isUsable = true
    try {
      const isOne = begin === undefined && isTransaction(statements)
      if (isOne) return await this.#runAll(client, statements, limit)
      await limit.query(client, begin ?? 'BEGIN ISOLATION LEVEL SERIALIZABLE')
      const results = await this.#runAll(client, statements, limit)
      await limit.query(client, 'COMMIT')
      return results
    } catch (error) {
      isUsable = isAnswer(error) && (await rollBack(client))
      throw error
    } finally {
      this.#writers.release(connection, isUsable)
    }
  }

  async #runAll(
    client: Client,
    statements: readonly Statement[],
    limit: TimeLimit,
  ): Promise<WriteResult[]> {
    const results: WriteResult[] = []
    for (const [index, statement] of statements.entries()) {
      const result = await this.#run(client, statement, limit)
      const { mustChange } = statement
      if (mustChange !== undefined && result.changes !== mustChange) throw new UnmetChange(index)
      results.push(result)
    }
    return results
  }

  async #run(
    client: Client,
    { sql, params = [], signal }: Statement,
    limit: TimeLimit,
  ): Promise<WriteResult> {
    if (signal === undefined) {
      return toWriteResult(await limit.query(client, this.#convert(sql).text, params))
    }
    const sent = [...params, this.#signals.payload(signal)]
    const { rowCount } = await limit.query(client, this.#convert(withSignal(sql)).text, sent)
    return { changes: rowCount ?? 0, rows: [] }
  }

  #convert(sql: string): Converted {
    const known = this.#converted.get(sql)
    if (known !== undefined) return known
    if (this.#converted.size >= maxConverted) this.#converted.clear()
    const [, table = ''] = firstTable.exec(sql) ?? []
    const converted = { text: numberPlaceholders(sql), table }
    this.#converted.set(sql, converted)
    return converted
  }
}

/** The time limit of a call. Without `urgentMs`, only the limits of the connection apply. */
class TimeLimit {
  readonly #endsAtMs: number | undefined

  constructor({ urgentMs }: CallOptions) {
    this.#endsAtMs = urgentMs === undefined ? undefined : performance.now() + urgentMs
  }

  /** The remaining milliseconds, at least 1; undefined without a limit. */
  get leftMs(): number | undefined {
    if (this.#endsAtMs === undefined) return undefined
    return Math.max(1, Math.ceil(this.#endsAtMs - performance.now()))
  }

  /** Without values, the text may contain several statements. */
  query(client: Client, text: string, values?: readonly SqlValue[]): Promise<QueryResult> {
    const { leftMs } = this
    const given = { text, ...(values && { values: [...values] }) }
    if (leftMs === undefined) return client.query(given)
    // The type lacks the option.
    return client.query({ ...given, query_timeout: leftMs } as QueryConfig)
  }
}

const firstTable = /\b(?:FROM|INTO|UPDATE)\s+(\w+)/i

/** Whether the error is UnmetChange, or an answer of the server after which the connection stays open. */
function isAnswer(error: unknown): boolean {
  return error instanceof UnmetChange || (error instanceof ServerError && keepsConnection(error))
}

/** Whether the statements need a transaction. A single one does only if it may have to be undone. */
function isTransaction([first, ...others]: readonly Statement[]): boolean {
  return first !== undefined && first.mustChange === undefined && others.length === 0
}

function toWriteResult({ rowCount, rows }: QueryResult): WriteResult {
  return { changes: rowCount ?? 0, rows }
}

/** Returns whether the connection is still usable. */
async function rollBack(client: Client): Promise<boolean> {
  try {
    await client.query('ROLLBACK')
    return true
  } catch {
    // The connection and its transaction are lost. The first error has the reason.
    return false
  }
}
