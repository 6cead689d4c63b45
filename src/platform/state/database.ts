/**
 * The interface to all state that must survive a restart. Two implementations: SQLite (embedded,
 * default) and PostgreSQL. SQL is portable between them: `?` for parameters, and only functions that
 * both have. Rows are plain objects; integers fit in a double.
 */
export interface Database {
  /** `sqlite` or `postgres`, for the log. */
  readonly kind: string

  /** Returns the rows of one SELECT, as of the last commit. */
  read<Row>(sql: string, params?: readonly SqlValue[], options?: CallOptions): Promise<Row[]>

  /**
   * Runs the statements in one transaction, all or nothing, durable (on disk) when resolved.
   * If a statement's `mustChange` is not met, the transaction is undone and the call rejects with
   * UnmetChange. Concurrent calls of one process may share one commit; each is still all or nothing.
   */
  write(statements: readonly Statement[], options?: CallOptions): Promise<WriteResult[]>

  /** Makes all earlier writes durable, also relaxed ones. Absent if every write is durable when it resolves. */
  flush?(): Promise<void>

  /** From now on, no call blocks this process. Before, nothing is served that would have to wait. */
  beginServing?(): void

  /** The path of its file, in which threads of this process may write (`openWriter`). Absent if it has none. */
  readonly file?: string

  /** Call it for each write that such a thread has committed, with the time that took, so that metrics count it. */
  committed?(durationMs: number): void

  /**
   * The time on the database's machine, milliseconds since the epoch. Absent if that is this
   * machine.
   */
  clockMs?(): Promise<number>

  /** The time as an SQL expression, to read it in another statement. */
  readonly clockSql?: string

  /**
   * Calls `onSignal` for signals of other processes (`Statement.signal`). Absent if the database has no
   * signals.
   */
  subscribe?(onSignal: OnSignal): Signals

  /** The number of calls that are waiting for a connection or a commit. */
  readonly waiting?: number

  /** Resolves when the database responds; otherwise rejects with DatabaseError. */
  check(): Promise<void>

  close(): Promise<void>
}

export interface CallOptions {
  /**
   * For heartbeats: the call gets a connection before all waiting calls, and fails after this time. The next call then
   * gets another connection. Ignored by SQLite, which has no connections.
   */
  readonly urgentMs?: number
  /**
   * For `write`: it resolves when other processes see it and a killed process has not lost it, but before it is on the disk.
   * A power failure may undo it, with everything that was written later. Ignored by PostgreSQL.
   */
  readonly isRelaxed?: boolean | undefined
}

/** Strings must not contain U+0000, which PostgreSQL cannot store. JSON never contains it. */
export type SqlValue = string | number | null

export interface Statement {
  readonly sql: string
  readonly params?: readonly SqlValue[]
  /** Number of rows that the statement must insert, update or delete. */
  readonly mustChange?: number
  /**
   * Sent to the other processes after the statement has changed a row and is committed, if the database has signals.
   * At most 1,000 bytes. Not allowed with RETURNING. Earlier versions receive only the text before its first space.
   */
  readonly signal?: string
}

/** Receives the text of a signal, or undefined when signals may have been lost. */
export type OnSignal = (text: string | undefined) => void

/** Signals may be lost: they save reads, but nothing may depend on them. */
export interface Signals {
  /** Whether signals are known to arrive. */
  readonly isLive: boolean
  /** Call it when a signal was missed. */
  doubt(): void
}

export interface WriteResult {
  /** Rows inserted, updated or deleted. */
  readonly changes: number
  /** Rows of a RETURNING clause. */
  readonly rows: readonly Record<string, SqlValue>[]
}

/** A statement did not change the required number of rows; its transaction was undone. */
export class UnmetChange extends Error {
  /** Index of the statement in the call. */
  readonly statementIndex: number

  constructor(statementIndex: number) {
    super(`statement ${statementIndex} did not change the expected number of rows`)
    this.name = 'UnmetChange'
    this.statementIndex = statementIndex
  }
}

/**
 * The database does not respond, is full, or rejects a statement. `cause` is the driver's error.
 */
export class DatabaseError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DatabaseError'
  }
}
