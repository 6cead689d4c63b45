/**
 * The thread for all writes of this process to the SQLite file, so that neither syncs to disk nor locks
 * of other processes block the main event loop. It receives groups of calls from sqlite-writer.ts, and
 * returns their outcomes.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { openWriter, type WriterConnection } from './group-commit.ts'
import { commitGroup, failureOf } from './group-reply.ts'
import type { GroupRequest, ThreadReply, ThreadRequest } from './sqlite-writer.ts'

const { path } = workerData as { readonly path: string }
const port = parentPort
if (port === null) throw new Error('sqlite-writer-thread.ts must run as a worker thread')

const writer = start()

function start(): WriterConnection | undefined {
  try {
    const connected = openWriter(path)
    reply({ kind: 'ready' })
    return connected
  } catch (error) {
    reply({ kind: 'failed', failure: failureOf(error, path) })
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

function commit(connected: WriterConnection, request: GroupRequest): ThreadReply {
  try {
    return commitGroup(connected, path, request)
  } catch (error) {
    return { kind: 'failed', failure: failureOf(error, path) }
  }
}

function reply(message: ThreadReply): void {
  port?.postMessage(message)
}
