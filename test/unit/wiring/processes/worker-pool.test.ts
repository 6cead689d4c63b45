import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import cluster from 'node:cluster'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { livenessOf, nameOfChild } from '../../../../src/process/identity.ts'
import type { FromWorker } from '../../../../src/wiring/processes/worker-messages.ts'
import { WorkerPool, type WorkerPoolOptions } from '../../../../src/wiring/processes/worker-pool.ts'
import { readSettings } from '../../../../src/wiring/settings/read-settings.ts'

cluster.setupPrimary({
  exec: fileURLToPath(new URL('../../../support/pool-worker.ts', import.meta.url)),
})

async function poolOf(t: TestContext, options: Partial<WorkerPoolOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-pool-'))
  const settings = await readSettings({
    ACCESS_KEY: 'AKEXAMPLE',
    SECRET_KEY: 'secret',
    ALLOWED_BUCKETS: 'photos',
    DRIVE: `file:${folder}`,
    WORKERS: '1',
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

/** Resolves when a worker has sent as many pongs. */
function pongs(count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let received = 0
  const onMessage = (_: unknown, message: FromWorker) => {
    received += message.kind === 'pong' ? 1 : 0
    if (received < count) return
    cluster.off('message', onMessage)
    resolve()
  }
  cluster.on('message', onMessage)
  return promise
}

test('A worker that leaves ten pings unanswered is killed and replaced', async (t) => {
  const silent: unknown[] = []
  const { promise: died, resolve } = Promise.withResolvers<unknown>()
  const { pool } = await poolOf(t, {
    pingEveryMs: 20,
    onSilence: (fields) => silent.push(fields),
    onDeath: resolve,
  })
  const pid = await pool.start()
  await pongs(15)
  assert.deepEqual(silent, [])
  process.kill(pid, 'SIGSTOP')
  const { worker, signal } = (await died) as { worker: number; signal: string }
  assert.deepEqual([worker, signal], [pid, 'SIGKILL'])
  assert.deepEqual(silent, [{ worker: pid }])
  // Of the one that took its place.
  await pongs(15)
  assert.equal(silent.length, 1)
})

test('A worker that takes long to start is not killed', async (t) => {
  const { pool, slow } = await poolOf(t, { pingEveryMs: 10, onSilence: () => assert.fail() })
  writeFileSync(slow, '')
  await pool.start()
  await pongs(2)
})

test('A primary that was suspended for long kills no worker when it wakes', async (t) => {
  const { pool } = await poolOf(t, { pingEveryMs: 20, onSilence: () => assert.fail() })
  await pool.start()
  for (let round = 0; round < 3; round++) {
    // As SIGSTOP does: nothing runs here for as long as 25 pings, nor do the workers hear anything.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
    await pongs(2)
  }
})
