/**
 * A worker that does nothing but answer pings and tell its primary that it serves, or that it can't
 * while the drive's folder has a file `broken`. With a file `slow` there it takes half a second to
 * start, in which it answers nothing. On SIGHUP, it reports a change. It reads the changes of other workers.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FromWorker, ToWorker } from '../../src/app/start/processes/worker-messages.ts'

process.on('SIGHUP', () => tell({ kind: 'changed', id: 1 }))
process.on('message', (message: ToWorker) => {
  if (message.kind === 'ping') tell({ kind: 'pong' })
  if (message.kind === 'read-change') tell({ kind: 'change-read', id: message.id })
  if (message.kind !== 'start') return
  const { drive } = message.settings
  const has = (name: string) => drive.kind === 'file' && existsSync(join(drive.path, name))
  if (has('slow')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  tell(
    has('broken') ? { kind: 'failed', message: 'broken' } : { kind: 'serving', port: process.pid },
  )
})

function tell(message: FromWorker): void {
  process.send?.(message)
}
