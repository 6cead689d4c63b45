/**
 * A worker that does nothing but tell its primary that it serves, or that it can't while the drive's
 * folder has a file `broken`.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FromWorker, ToWorker } from '../../src/wiring/worker-messages.ts'

process.on('message', (message: ToWorker) => {
  if (message.kind !== 'start') return
  const { drive } = message.settings
  const isBroken = drive.kind === 'file' && existsSync(join(drive.path, 'broken'))
  const reply: FromWorker = isBroken
    ? { kind: 'failed', message: 'broken' }
    : { kind: 'serving', port: process.pid }
  process.send?.(reply)
})
