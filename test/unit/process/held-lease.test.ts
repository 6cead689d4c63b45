import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { HeldLease, type HeldLeaseOptions } from '../../../src/process/held-lease.ts'

/** A lease of 100 s, renewed every 20 s, with a margin of 30 s, and a clock that starts at 0. */
function createLease(renew: HeldLeaseOptions['renew'] = async () => true) {
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
  return { lease, clock, renewals }
}

test('a renewal that is due extends the lease', async () => {
  const { lease, clock, renewals } = createLease()
  clock.ms = 19_000
  await lease.renewIfDue()
  assert.deepEqual(renewals, [])
  clock.ms = 20_000
  await lease.renewIfDue()
  assert.deepEqual(renewals, [120_000])
  clock.ms = 90_000
  assert.ok(lease.isHeld)
  clock.ms = 91_000
  assert.equal(lease.isHeld, false)
})

test('a lease that has expired is lost', () => {
  const { lease, clock } = createLease()
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

test('a lease is lost and not renewed again after a renewal is refused', async () => {
  const { lease, clock, renewals } = createLease(async () => false)
  clock.ms = 20_000
  await lease.renewIfDue()
  assert.ok(lease.lost.aborted)
  clock.ms = 40_000
  await lease.renewIfDue()
  assert.equal(renewals.length, 1)
})

test('a failed renewal leaves the lease unchanged and is retried later', async () => {
  const { lease, clock, renewals } = createLease(async () => {
    throw new Error('no database')
  })
  clock.ms = 20_000
  await assert.rejects(lease.renewIfDue(), /no database/)
  assert.equal(lease.renewInMs, 20_000)
  assert.ok(lease.isHeld)
  clock.ms = 71_000
  assert.equal(lease.isHeld, false)
  assert.equal(renewals.length, 1)
})

test('a clock that was set back makes a renewal due', async () => {
  const { lease, clock, renewals } = createLease()
  clock.ms = -10_000
  await lease.renewIfDue()
  assert.deepEqual(renewals, [90_000])
  await lease.renewIfDue()
  assert.equal(renewals.length, 1)
})

test('keep renews on a timer until the lease ends', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const { lease, clock, renewals } = createLease()
    const pass = async () => {
      clock.ms += 20_000
      mock.timers.tick(20_000)
      // The timer's work continues in microtasks.
      for (let turn = 0; turn < 10; turn++) await undefined
    }
    lease.keep()
    await pass()
    await pass()
    assert.deepEqual(renewals, [120_000, 140_000])
    lease.end()
    await pass()
    assert.equal(renewals.length, 2)
    assert.equal(lease.lost.aborted, false)
  } finally {
    mock.timers.reset()
  }
})

test('a lease is lost when the machine slept, although the clock of the lease stood still', (t) => {
  const { lease } = createLease()
  assert.ok(lease.isHeld)
  const { now } = Date
  t.mock.method(Date, 'now', () => now() + 71_000)
  assert.equal(lease.isHeld, false)
})
