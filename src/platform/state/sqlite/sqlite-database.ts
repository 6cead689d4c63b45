import { type Stats, statSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import {
  type CallOptions,
  type Database,
  DatabaseError,
  type SqlValue,
  type Statement,
  type WriteResult,
} from '../database.ts'
import { StatementCache } from '../statement-cache.ts'
import { OwnCommits } from './group-reply.ts'
import { openSqliteConnection } from './sqlite-connection.ts'
import { isBusy, toDatabaseError } from './sqlite-errors.ts'
import { SqliteWriter } from './sqlite-writer.ts'

const threadUrl = new URL('./sqlite-writer-thread.ts', import.meta.url)

/** The size of the reading connection's page cache, in KiB. */
const readCacheKib = 16 * 1024

/** Reads meet a lock only while another process recovers or removes the log, which does not take long. */
const busyReadTries = 100
const busyReadWaitMs = 20

/**
 * Reads run in the calling thread: by primary key, they take microseconds, less than a message to another
 * thread. Writes wait for the disk and for other processes, so they run in a separate thread
 * (SqliteWriter). Starting it takes a fifth of the start of a process, which therefore can do without it until it serves.
 */
export class SqliteDatabase implements Database {
  readonly kind = 'sqlite'
  readonly #path: string
  readonly #file: Stats
  readonly #connection: DatabaseSync
  readonly #statements: StatementCache
  readonly #writer: SqliteWriter

  /**
   * @param path The file; created if missing.
   * @param isStarting whether the calling thread commits until `beginServing`
   * @throws DatabaseError when it cannot be opened
   */
  constructor(path: string, isStarting = false) {
    this.#path = path
    this.#connection = openSqliteConnection(path)
    this.#file = statSync(path)
    this.#connection.exec(`PRAGMA query_only = ON; PRAGMA cache_size = -${readCacheKib}`)
    this.#statements = new StatementCache(this.#connection)
    const startThread = () => new Worker(threadUrl, { workerData: { path } })
    this.#writer = new SqliteWriter(startThread, isStarting ? new OwnCommits(path) : undefined)
  }

  async read<Row>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    try {
      return this.#select<Row>(sql, params)
    } catch (error) {
      if (!isBusy(error)) throw toDatabaseError(error, this.#path)
      return this.#selectWhenFree<Row>(sql, params)
    }
  }

  get file(): string {
    return this.#path
  }

  committed(): void {
    // Only metrics need it.
  }

  get waiting(): number {
    return this.#writer.waiting
  }

  async write(
    statements: readonly Statement[],
    { isRelaxed }: CallOptions = {},
  ): Promise<WriteResult[]> {
    return this.#writer.write(statements, isRelaxed)
  }

  beginServing(): void {
    this.#writer.endEarly()
  }

  /**
   * Syncs the write-ahead log. SQLite syncs what it moves from there to the file itself
   * (https://sqlite.org/pragma.html#pragma_synchronous, NORMAL), and takes no locks on the log that closing it would drop.
   */
  async flush(): Promise<void> {
    try {
      const log = await open(`${this.#path}-wal`)
      await log.sync().finally(() => log.close())
    } catch (error) {
      // Nothing has been written since the database was last closed.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        throw toDatabaseError(error, this.#path)
    }
  }

  async check(): Promise<void> {
    const file = await stat(this.#path).catch(() => undefined)
    if (file?.dev !== this.#file.dev || file.ino !== this.#file.ino) {
      // SQLite keeps using the open file, but writes to it are lost when the process ends.
      throw new DatabaseError(
        `the database ${this.#path} was deleted or replaced while in use; put it back and restart`,
      )
    }
    await this.read('SELECT count(*) AS tables FROM sqlite_schema')
  }

  async close(): Promise<void> {
    if (!this.#connection.isOpen) return
    this.#connection.close()
    await this.#writer.close()
  }

  #select<Row>(sql: string, params: readonly SqlValue[]): Row[] {
    if (!this.#connection.isOpen) throw new DatabaseError(`the database ${this.#path} is closed`)
    return this.#statements.prepare(sql).rows<Row>(params)
  }

  async #selectWhenFree<Row>(sql: string, params: readonly SqlValue[]): Promise<Row[]> {
    for (let tries = 1; ; tries++) {
      await wait(busyReadWaitMs)
      try {
        return this.#select<Row>(sql, params)
      } catch (error) {
        if (!isBusy(error) || tries >= busyReadTries) throw toDatabaseError(error, this.#path)
      }
    }
  }
}
