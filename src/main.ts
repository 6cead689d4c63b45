#!/usr/bin/env node
import './wiring/settings/thread-pool.ts'
import './wiring/compile-cache.ts'
import cluster from 'node:cluster'

// Imported late, so that the cache is in place before there is much to compile.
if (cluster.isPrimary) {
  const { runPrimary } = await import('./wiring/primary.ts')
  await runPrimary()
} else {
  const { runWorker } = await import('./wiring/worker.ts')
  runWorker()
}
