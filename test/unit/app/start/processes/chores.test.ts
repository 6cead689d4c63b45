import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Chore, repeatChores } from '../../../../../src/app/start/processes/chores.ts'
import { createLog } from '../../../../../src/app/telemetry/log.ts'
import { ProcessMetrics } from '../../../../../src/app/telemetry/metrics/process-metrics.ts'
import { until } from '../../../../support/management-client.ts'

function begin(chores: readonly Omit<Chore, 'everyMs'>[]) {
  const lines: Record<string, unknown>[] = []
  const log = createLog('info', { write: (line) => lines.push(JSON.parse(line)) })
  const metrics = new ProcessMetrics()
  const running = repeatChores(
    chores.map((chore) => ({ ...chore, everyMs: 1 })),
    { log, metrics },
  )
  return {
    lines,
    /** By kind of work. */
    failures() {
      const all = metrics.snapshot()
      const found = all.find(({ name }) => name === 'bucketry_background_failures_total')
      return new Map(found?.values.map(({ labels, value }) => [labels.work, value]))
    },
    async stop() {
      await running.stop()
      metrics.close()
    },
  }
}

test('Work that fails or hangs ends no other', async () => {
  let runs = 0
  const count = () => {
    runs += 1
  }
  const hanging = Promise.withResolvers<void>()
  const { failures, stop } = begin([
    { name: 'drive', drive: 'NAS', run: () => Promise.reject(new Error('away')) },
    { name: 'uploads', run: () => hanging.promise },
    { name: 'jobs', run: () => undefined },
    { name: 'shares', run: async () => count() },
  ])
  await until(() => runs >= 3 && (failures().get('drive') ?? 0) >= 3)
  assert.deepEqual([...failures().keys()], ['drive'])
  hanging.resolve()
  await stop()
})

test('A failure is logged when it begins, and when it is over', async () => {
  let isAway = true
  let runs = 0
  const run = async () => {
    runs += 1
    if (isAway) throw new Error('away')
  }
  const { lines, failures, stop } = begin([{ name: 'drive', drive: 'NAS', run }])
  await until(() => runs >= 3)
  isAway = false
  const seen = runs
  await until(() => runs >= seen + 3)
  isAway = true
  await until(() => lines.length === 3)
  await stop()
  assert.deepEqual(
    lines.map(({ level, work, drive }) => [level, work, drive]),
    [50, 30, 50].map((level) => [level, 'drive', 'NAS']),
  )
  assert.ok((failures().get('drive') ?? 0) >= 4)
})

/** Runs a script in a process that watches failures. Its log has the count of the metric as its last line. */
function runWatched(script: string) {
  const folder = join(import.meta.dirname, '../../../../../src/app')
  const source = `
    import { openLog } from '${folder}/telemetry/log.ts'
    import { ProcessMetrics } from '${folder}/telemetry/metrics/process-metrics.ts'
    import { watchFailures } from '${folder}/start/processes/chores.ts'
    const { log } = openLog('info')
    const metrics = new ProcessMetrics()
    watchFailures(log, () => metrics)
    ${script}
    setTimeout(() => {
      const found = metrics.snapshot().find(({ name }) => name.includes('background'))
      log.info({ counted: found.values }, 'the process continues')
    }, 50)`
  const args = ['--input-type=module', '-e', source]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return {
    status,
    lines: stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  }
}

test('A rejection that nothing handles is logged with its stack and counted, and ends nothing', () => {
  const { status, lines } = runWatched(`
    const failing = async function theFault() { throw new TypeError('a bug') }
    for (let count = 0; count < 2; count += 1) setTimeout(() => void failing(), count)`)
  assert.equal(status, 0)
  assert.deepEqual(
    lines.map(({ level }) => level),
    [50, 50, 30],
  )
  assert.match(lines[0].err.stack, /TypeError: a bug\n +at .*theFault/)
  assert.deepEqual(lines[2].counted, [{ labels: { work: 'unhandled' }, value: 2 }])
})

test('An exception that nothing catches is logged with its stack, and ends the process', () => {
  const { status, lines } = runWatched(`setTimeout(() => { throw new Error('half done') })`)
  assert.equal(status, 1)
  assert.deepEqual(
    lines.map(({ level }) => level),
    [60],
  )
  assert.match(lines[0].err.stack, /Error: half done\n +at /)
})
