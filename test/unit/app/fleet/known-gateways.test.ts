import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GatewayRow } from '../../../../src/app/fleet/gateway-table.ts'
import { KnownGateways } from '../../../../src/app/fleet/known-gateways.ts'
import { hasEnded, setEndedGateways } from '../../../../src/platform/process/ended-processes.ts'

const process = 'far.1/7/1000'

function row(id: string, endedAtMs: number): GatewayRow {
  const about = { beat: 1, beatTicks: 2_000, json: '{}', question: '', answer: '' }
  return { id, process, startedAtMs: 1, endedAtMs, ...about }
}

test('An answer that comes after that of a later question is not used', async (t) => {
  t.after(() => setEndedGateways([], []))
  const ended = row('before', 2)
  const known = new KnownGateways({ all: async () => [ended, row('again', 0)] })
  const askedAtMs = performance.now()
  known.set([ended], askedAtMs)
  assert.equal(hasEnded(process), true)
  // The gateway was only suspended, and has registered again.
  await known.reload()
  known.set([ended], askedAtMs)
  assert.deepEqual([known.running, hasEnded(process)], [1, false])
})
