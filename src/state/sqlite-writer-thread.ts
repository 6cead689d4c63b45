/**
 * The thread in which all writes of this process to the SQLite file happen, so that neither the
 * sync to disk nor waiting for another process's lock ever holds up the event loop that serves.
 * Talks to sqlite-writer.ts: one group of calls in, their outcomes out.
 */
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { commitTogether, type WriterConnection } from './group-commit.ts'
import { openSqliteConnection, walSizeLimitBytes } from './sqlite-connection.ts'
import { describeSqliteError } from './sqlite-errors.ts'
import type { Failure, ThreadReply, ThreadRequest, TransferredOutcome } from './sqlite-writer.ts'
import { StatementCache } from './statement-cache.ts'

/** The log's size is looked at once in so many groups. */
const groupsPerSizeCheck = 256

/** How long a checkpoint that must finish waits for readers of other processes. */
const checkpointWaitMs = 500

const { path } = workerData as { readonly path: string }
const port = parentPort
if (port === null) throw new Error('sqlite-writer-thread.ts runs as a worker thread only')

let groups = 0
const writer = start()

function start(): WriterConnection | undefined {
  try {
    const connection = openSqliteConnection(path)
    reply({ kind: 'ready' })
    return { connection, statements: new StatementCache(connection) }
  } catch (error) {
    reply({ kind: 'failed', failure: toFailure(error) })
    port?.close()
    return undefined
  }
}

port.on('message', (request: ThreadRequest) => {
  if (writer === undefined) return
  if (request.kind === 'close') {
    writer.connection.close()
    port.close()
    return
  }
  reply(commit(writer, request))
  keepLogShort(writer.connection)
})

function commit(
  connected: WriterConnection,
  request: ThreadRequest & { readonly kind: 'write' },
): ThreadReply {
  try {
    const outcomes = commitTogether(connected, request.calls).map(
      (outcome): TransferredOutcome =>
        outcome.kind === 'failed' ? { kind: 'failed', failure: toFailure(outcome.error) } : outcome,
    )
    return { kind: 'outcomes', outcomes }
  } catch (error) {
    return { kind: 'failed', failure: toFailure(error) }
  }
}

/**
 * SQLite's automatic checkpoint gives way to readers. Where some process reads at every moment, the
 * log would grow for ever, so once it is far too long a checkpoint waits for the readers instead.
 */
function keepLogShort(connection: DatabaseSync): void {
  groups += 1
  if (groups % groupsPerSizeCheck !== 0) return
  const size = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  if (size <= walSizeLimitBytes) return
  connection.exec(`PRAGMA busy_timeout = ${checkpointWaitMs}`)
  try {
    connection.prepare('PRAGMA wal_checkpoint(RESTART)').get()
  } catch {
    // What was acknowledged is safe in the log; a disk that fails will fail the next write too.
  } finally {
    connection.exec('PRAGMA busy_timeout = 0')
  }
}

function toFailure(error: unknown): Failure {
  const isReadable = error instanceof Error && error.name === 'DatabaseError'
  return {
    message: isReadable ? error.message : describeSqliteError(error, path),
    // Structured clone keeps an error's name, message and stack.
    cause: error,
  }
}

function reply(message: ThreadReply): void {
  port?.postMessage(message)
}
