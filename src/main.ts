#!/usr/bin/env node
import './wiring/settings/thread-pool.ts'
import './wiring/compile-cache.ts'
import cluster from 'node:cluster'

// Imported late, so that the cache is in place before there is much to compile.
if (cluster.isPrimary) {
  void import('./wiring/primary.ts').then(({ runPrimary }) => runPrimary())
} else {
  void import('./wiring/worker.ts').then(({ runWorker }) => runWorker())
}
