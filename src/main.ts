#!/usr/bin/env node
import './wiring/settings/thread-pool.ts'
import './wiring/compile-cache.ts'
import { workerArgument } from './wiring/worker-messages.ts'

// Imported late, so that the cache is in place before there is much to compile.
if (process.argv[2] === workerArgument) {
  void import('./wiring/worker.ts').then(({ runWorker }) => runWorker())
} else {
  void import('./cli/run-command-line.ts').then(({ runCommandLine }) =>
    runCommandLine(process.argv.slice(2)),
  )
}
