import { parentPort } from 'node:worker_threads'
import { codeOf } from './fs-error.ts'
import { type ReadRequest, readFolder } from './read-folder.ts'

/** The thread of folder-reader.ts: reads and sorts folders that would stop the event loop. */
parentPort?.on('message', ({ id, request }: { id: number; request: ReadRequest }) => {
  try {
    const result = readFolder(request)
    const { bytes, starts, flags, order } = result.names
    parentPort?.postMessage({ id, result }, [
      bytes.buffer,
      starts.buffer,
      flags.buffer,
      order.buffer,
    ])
  } catch (error) {
    // Errors lose their code when they are cloned.
    parentPort?.postMessage({ id, code: codeOf(error), message: String(error) })
  }
})
