import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DatabaseError } from '../database.ts'
import { isBusy, toDatabaseError } from './sqlite-errors.ts'

/** Maximum time to wait for the lock of another process or connection. */
export const lockWaitMs = 10_000

/**
 * The size to which the write-ahead log is truncated, in bytes. The log is larger only during long reads:
 * SQLite restarts it when there are no readers.
 */
export const walSizeLimitBytes = 64 * 1024 * 1024

const sleepCell = new Int32Array(new SharedArrayBuffer(4))

/**
 * Opens the file in WAL mode, with every commit synced to disk. Creates the file (mode 0600) and its
 * folder if they are missing. Blocks while another process switches the mode or recovers, at most for `waitMs`.
 *
 * @throws DatabaseError with a user-facing message.
 */
export function openSqliteConnection(path: string, waitMs = lockWaitMs): DatabaseSync {
  createFile(path)
  try {
    return retryWhileBusy(() => openConfigured(path), waitMs)
  } catch (error) {
    throw toDatabaseError(error, path)
  }
}

/**
 * Retries `attempt` while another process holds the lock. SQLite's busy handler sleeps up to 100 ms
 * between attempts, much longer than a commit takes; this one retries within a millisecond. It blocks
 * the thread: use it in threads that write, and at the start.
 */
export function retryWhileBusy<Result>(attempt: () => Result, waitMs = lockWaitMs): Result {
  const giveUpAt = performance.now() + waitMs
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw error
    }
    sleep(0.1 + Math.random() * 0.4)
  }
}

function openConfigured(path: string): DatabaseSync {
  const connection = new DatabaseSync(path, { timeout: 0 })
  try {
    configure(connection, path)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

function configure(connection: DatabaseSync, path: string): void {
  const mode = connection.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode
  if (mode !== 'wal') {
    throw new DatabaseError(
      `the database ${path} is on a file system without shared memory, such as a network drive; ` +
        'put it on a local disk or use PostgreSQL',
    )
  }
  // https://sqlite.org/pragma.html#pragma_synchronous: only FULL syncs the log at every commit.
  // fullfsync matters only on macOS, where fsync leaves the data in the disk's cache.
  connection.exec(`
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA journal_size_limit = ${walSizeLimitBytes};
  `)
}

function createFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    // An existing file is not opened here: closing it would drop the locks that SQLite holds on it
    // for another connection of this process (fcntl(2)).
    if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Another process has created the file.
    if (code === 'EEXIST' && existsSync(path)) return
    const user = code === 'EACCES' && process.getuid ? ` for user ${process.getuid()}` : ''
    throw new DatabaseError(
      `the database file ${path} can't be created (${code}): its folder must be writable${user}`,
      { cause: error },
    )
  }
}

function sleep(ms: number): void {
  Atomics.wait(sleepCell, 0, 0, ms)
}
