#!/usr/bin/env node
import './process/thread-pool.ts'
import './wiring/processes/compile-cache.ts'
import { workerArgument } from './wiring/processes/worker-messages.ts'

// Imported late, so that the cache is in place before there is much to compile.
if (process.argv[2] === workerArgument) {
  void import('./wiring/processes/worker.ts').then(({ runWorker }) => runWorker())
} else {
  void import('./cli/run-command-line.ts').then(({ runCommandLine }) =>
    runCommandLine(process.argv.slice(2)),
  )
}
