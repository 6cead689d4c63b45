/** A writer thread that dies when it is asked to write `die`, and else answers as if it had written. */
import { parentPort } from 'node:worker_threads'
import type { ThreadReply, ThreadRequest } from '../../src/platform/state/sqlite/sqlite-writer.ts'

const ready: ThreadReply = { kind: 'ready' }
parentPort?.postMessage(ready)
parentPort?.on('message', (request: ThreadRequest) => {
  if (request.kind === 'close') {
    parentPort?.close()
    return
  }
  if (request.calls.some(([statement]) => statement?.sql === 'die')) throw new Error('dying')
  const outcomes = request.calls.map(() => ({ kind: 'done', results: [] }) as const)
  const reply: ThreadReply = { kind: 'outcomes', outcomes }
  parentPort?.postMessage(reply)
})
