import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import cluster from 'node:cluster'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readSettings } from '../../../../../src/app/settings/read-settings.ts'
import type { FromWorker } from '../../../../../src/app/start/processes/worker-messages.ts'
import {
  prepareWorkers,
  WorkerPool,
  type WorkerPoolOptions,
} from '../../../../../src/app/start/processes/worker-pool.ts'
import { livenessOf, nameOfChild } from '../../../../../src/platform/process/identity.ts'

cluster.setupPrimary({
  exec: fileURLToPath(new URL('../../../../support/pool-worker.ts', import.meta.url)),
})

async function poolOf(t: TestContext, options: Partial<WorkerPoolOptions> = {}, workers = 1) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-pool-'))
  const settings = await readSettings({
    ACCESS_KEY: 'AKEXAMPLE',
    SECRET_KEY: 'secret',
    ALLOWED_BUCKETS: 'photos',
    DRIVE: `file:${folder}`,
    WORKERS: String(workers),
  })
  const pool = new WorkerPool({
    settings,
    onDeath: () => undefined,
    onProcessDied: () => undefined,
    onSilence: () => undefined,
    onUntrustedProxy: () => undefined,
    ...options,
  })
  t.after(() => {
    pool.kill()
    rmSync(folder, { recursive: true })
  })
  return { pool, broken: join(folder, 'broken'), slow: join(folder, 'slow') }
}

test('The reason is reported when a worker cannot start', async (t) => {
  const { pool, broken } = await poolOf(t)
  writeFileSync(broken, '')
  await assert.rejects(pool.start(), { name: 'WorkerStartError', message: 'broken' })
})

test('A restarted worker that cannot start is restarted until it can', async (t) => {
  let deaths = 0
  const { promise: repaired, resolve } = Promise.withResolvers<void>()
  cluster.on('message', (_, message) => {
    if (deaths >= 3 && message.kind === 'serving') resolve()
  })
  const { pool, broken } = await poolOf(t, {
    onDeath: () => {
      deaths += 1
      if (deaths === 3) rmSync(broken)
    },
  })
  const pid = await pool.start()
  writeFileSync(broken, '')
  process.kill(pid, 'SIGKILL')
  await repaired
})

test('The primary tells the name of a worker that has died', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const { promise: died, resolve } = Promise.withResolvers<string>()
  const { pool } = await poolOf(t, { onProcessDied: resolve })
  const pid = await pool.start()
  const name = nameOfChild(pid)
  process.kill(pid, 'SIGKILL')
  assert.equal(await died, name)
  assert.equal(livenessOf(await died), 'dead')
})

test('A message to a worker that has just died does not end the primary', async (t) => {
  const { promise: died, resolve: onDeath } = Promise.withResolvers<unknown>()
  const { pool } = await poolOf(t, { onDeath })
  const pid = await pool.start()
  process.kill(pid, 'SIGKILL')
  // Until it is gone, without a turn of the event loop in which that could be noticed.
  execFileSync('sh', ['-c', `while [ "$(ps -o stat= -p ${pid} | cut -c1)" != Z ]; do :; done`])
  pool.replaceTls({ cert: 'a', key: 'b' })
  await died
})

test('A worker that the system does not start is started again until it can', async (t) => {
  const { execPath } = process
  t.after(() => {
    process.execPath = execPath
  })
  let deaths = 0
  const { pool } = await poolOf(t, {
    onDeath: () => {
      deaths += 1
      if (deaths === 3) process.execPath = execPath
    },
  })
  const pid = await pool.start()
  process.execPath = '/missing'
  const replaced = nextFromWorker('serving')
  process.kill(pid, 'SIGKILL')
  await replaced
  assert.equal(deaths, 3)
})

test('The start fails if the system starts no process', async (t) => {
  const { execPath } = process
  t.after(() => {
    process.execPath = execPath
  })
  process.execPath = '/missing'
  const prepared = prepareWorkers(1)
  const { pool } = await poolOf(t, { prepared })
  await assert.rejects(pool.start(), { name: 'WorkerStartError' })
})

test('A worker that starts reads what is changed meanwhile before the change is in force', async (t) => {
  const { pool, slow } = await poolOf(t, {}, 2)
  const pid = await pool.start()
  const other = Object.values(cluster.workers ?? {}).find((one) => one?.process.pid !== pid)
  writeFileSync(slow, '')
  cluster.once('fork', () => other?.process.kill('SIGHUP'))
  const read = nextFromWorker('change-read')
  process.kill(pid, 'SIGKILL')
  await read
})

/** Resolves with the next message of this kind. */
function nextFromWorker(kind: FromWorker['kind']): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const onMessage = (_: unknown, message: FromWorker) => {
    if (message.kind !== kind) return
    cluster.off('message', onMessage)
    resolve()
  }
  cluster.on('message', onMessage)
  return promise
}

const pingEveryMs = 1_000

/** The test sends the pings: on a busy machine, a worker may take long for an answer. */
function pingsOf(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const send = () => t.mock.timers.tick(pingEveryMs)
  /** Sends pings, each when the one before it was answered. */
  const answered = async (count: number) => {
    for (let sent = 0; sent < count; sent += 1) {
      const pong = nextFromWorker('pong')
      send()
      await pong
    }
  }
  return { send, answered }
}

test('A worker that leaves ten pings unanswered is killed and replaced', async (t) => {
  const pings = pingsOf(t)
  const silent: unknown[] = []
  const { promise: died, resolve } = Promise.withResolvers<unknown>()
  const { pool } = await poolOf(t, {
    pingEveryMs,
    onSilence: (fields) => silent.push(fields),
    onDeath: resolve,
  })
  const pid = await pool.start()
  await pings.answered(15)
  process.kill(pid, 'SIGSTOP')
  for (let sent = 0; sent < 10; sent += 1) pings.send()
  assert.deepEqual(silent, [])
  const replaced = nextFromWorker('serving')
  pings.send()
  assert.deepEqual(silent, [{ worker: pid }])
  const { worker, signal } = (await died) as { worker: number; signal: string }
  assert.deepEqual([worker, signal], [pid, 'SIGKILL'])
  await replaced
  await pings.answered(15)
  assert.equal(silent.length, 1)
})

test('A worker that takes long to start is not killed', async (t) => {
  const pings = pingsOf(t)
  const { pool, slow } = await poolOf(t, { pingEveryMs, onSilence: () => assert.fail() })
  writeFileSync(slow, '')
  const started = pool.start()
  for (let sent = 0; sent < 50; sent += 1) pings.send()
  await started
  await pings.answered(2)
})

test('A primary that was suspended for long kills no worker when it wakes', async (t) => {
  const pings = pingsOf(t)
  const { pool } = await poolOf(t, { pingEveryMs, onSilence: () => assert.fail() })
  await pool.start()
  const clocks = [Date, performance].map((clock) => ({ clock, now: clock.now.bind(clock) }))
  let aheadMs = 0
  for (const { clock, now } of clocks) t.mock.method(clock, 'now', () => now() + aheadMs)
  for (let round = 0; round < 3; round++) {
    // As after SIGSTOP: one ping is sent, after the time of many.
    aheadMs += 25 * pingEveryMs
    await pings.answered(2)
  }
})
