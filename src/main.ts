#!/usr/bin/env node
import './wiring/settings/thread-pool.ts'
import cluster from 'node:cluster'
import { runPrimary } from './wiring/primary.ts'
import { runWorker } from './wiring/worker.ts'

if (cluster.isPrimary) await runPrimary()
else runWorker()
