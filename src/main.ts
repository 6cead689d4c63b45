#!/usr/bin/env node
import './platform/process/thread-pool.ts'
import './platform/process/compile-cache.ts'
import { workerArgument } from './app/start/processes/worker-messages.ts'

// Imported late, so that the cache is in place before there is much to compile.
if (process.argv[2] === workerArgument) {
  void import('./app/start/processes/worker.ts').then(({ runWorker }) => runWorker())
} else {
  void import('./app/cli/run-command-line.ts').then(({ runCommandLine }) =>
    runCommandLine(process.argv.slice(2)),
  )
}
