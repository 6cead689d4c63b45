import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { HeldLease, type HeldLeaseOptions } from '../../../../src/platform/process/held-lease.ts'

/** A lease of 100 s, renewed every 20 s, with a margin of 30 s, and a clock that starts at 0. */
function createLease(t: TestContext, renew: HeldLeaseOptions['renew'] = async () => true) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = { ms: 0 }
  const renewals: number[] = []
  const lease = new HeldLease({
    ...{ owner: 'one', untilMs: 100_000, leaseMs: 100_000 },
    ...{ renewEveryMs: 20_000, safetyMarginMs: 30_000 },
    now: () => clock.ms,
    renew: (untilMs) => {
      renewals.push(untilMs)
      return renew(untilMs)
    },
    lostReason: () => 'lost',
  })
  lease.keep()
  /** @param clockMs by how much the wall clock changes meanwhile */
  const pass = async (ms: number, clockMs = ms) => {
    clock.ms += clockMs
    t.mock.timers.tick(ms)
    // The timer's work continues in microtasks.
    for (let turn = 0; turn < 10; turn++) await undefined
  }
  return { lease, clock, renewals, pass }
}

test('renewals extend the lease until it ends', async (t) => {
  const { lease, clock, renewals, pass } = createLease(t)
  await pass(19_000)
  assert.deepEqual(renewals, [])
  await pass(1_000)
  await pass(20_000)
  assert.deepEqual(renewals, [120_000, 140_000])
  lease.end()
  await pass(20_000)
  assert.equal(renewals.length, 2)
  assert.equal(lease.lost.aborted, false)
  clock.ms = 110_000
  assert.ok(lease.isHeld)
  clock.ms = 111_000
  assert.equal(lease.isHeld, false)
})

test('a lease that has expired is lost', (t) => {
  const { lease, clock } = createLease(t)
  clock.ms = 70_000
  lease.assertHeld()
  clock.ms = 71_000
  assert.throws(
    () => lease.assertHeld(),
    (reason) => reason === 'lost',
  )
  assert.equal(lease.lost.reason, 'lost')
  assert.ok(lease.ended.aborted)
})

test('a lease is lost and not renewed again after a renewal is refused', async (t) => {
  const { lease, renewals, pass } = createLease(t, async () => false)
  await pass(20_000)
  assert.ok(lease.lost.aborted)
  await pass(20_000)
  assert.equal(renewals.length, 1)
})

test('a failed renewal leaves the lease unchanged and is retried later', async (t) => {
  const { lease, clock, renewals, pass } = createLease(t, async () => {
    throw new Error('no database')
  })
  await pass(20_000)
  assert.ok(lease.isHeld)
  await pass(20_000)
  assert.equal(renewals.length, 2)
  clock.ms = 71_000
  assert.equal(lease.isHeld, false)
})

test('a clock that was set back does not delay the next renewal', async (t) => {
  const { renewals, pass } = createLease(t)
  await pass(20_000, -10_000)
  assert.deepEqual(renewals, [90_000])
})

test('a lease is lost when the machine slept, although the clock of the lease stood still', (t) => {
  const { lease } = createLease(t)
  assert.ok(lease.isHeld)
  const { now } = Date
  t.mock.method(Date, 'now', () => now() + 71_000)
  assert.equal(lease.isHeld, false)
})
