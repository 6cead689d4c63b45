/**
 * The thread for all writes of this process to the SQLite file, so that neither syncs to disk nor locks
 * of other processes block the main event loop. It receives groups of calls from sqlite-writer.ts, and
 * returns their outcomes.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { StatementCache } from '../statement-cache.ts'
import { commitTogether, type WriterConnection } from './group-commit.ts'
import { openSqliteConnection } from './sqlite-connection.ts'
import { toDatabaseError } from './sqlite-errors.ts'
import type {
  SqliteFailure,
  ThreadReply,
  ThreadRequest,
  TransferredOutcome,
} from './sqlite-writer.ts'

const { path } = workerData as { readonly path: string }
const port = parentPort
if (port === null) throw new Error('sqlite-writer-thread.ts must run as a worker thread')

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

function toFailure(error: unknown): SqliteFailure {
  return {
    message: toDatabaseError(error, path).message,
    // Structured clone keeps an error's name, message and stack.
    cause: error,
  }
}

function reply(message: ThreadReply): void {
  port?.postMessage(message)
}
