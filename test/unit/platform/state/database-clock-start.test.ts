import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../../../../src/app/telemetry/log.ts'
import type { Database } from '../../../../src/platform/state/database.ts'
import { startClock } from '../../../../src/platform/state/database-clock.ts'

test('A difference of the clocks is logged when it begins and when it is over, not at its edge', async (t) => {
  t.mock.method(performance, 'now', () => 0)
  t.mock.method(Date, 'now', () => 0)
  let aheadMs = 0
  const database: Pick<Database, 'clockMs'> = { clockMs: async () => aheadMs }
  const lines: unknown[] = []
  const add = (_: unknown, text: unknown) => lines.push(text)
  const log = { info: add, warn: add } as unknown as Log
  const clock = await startClock(database as Database, log)
  t.after(() => clock.stop())
  for (aheadMs of [2_000, 2_001, 2_000, 2_001, 1_999, 2_001, -2_001]) clock.observe(aheadMs, 0, 0)
  assert.equal(lines.length, 1)
  for (aheadMs of [500, 1_500, 2_000]) clock.observe(aheadMs, 0, 0)
  assert.equal(lines.length, 2)
})
