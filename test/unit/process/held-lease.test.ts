import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { HeldLease, type HeldLeaseOptions } from '../../../src/process/held-lease.ts'

/** A lease of 100 ms, renewed every 20 ms, with a margin of 30 ms, and a clock that starts at 0. */
function createLease(renew: HeldLeaseOptions['renew'] = async () => true) {
  const clock = { ms: 0 }
  const renewals: number[] = []
  const lease = new HeldLease({
    ...{ owner: 'one', untilMs: 100, leaseMs: 100, renewEveryMs: 20, safetyMarginMs: 30 },
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
  clock.ms = 19
  await lease.renewIfDue()
  assert.deepEqual(renewals, [])
  clock.ms = 20
  await lease.renewIfDue()
  assert.deepEqual(renewals, [120])
  clock.ms = 90
  assert.ok(lease.isHeld)
  clock.ms = 91
  assert.equal(lease.isHeld, false)
})

test('a lease that has expired is lost', () => {
  const { lease, clock } = createLease()
  clock.ms = 70
  lease.assertHeld()
  clock.ms = 71
  assert.throws(
    () => lease.assertHeld(),
    (reason) => reason === 'lost',
  )
  assert.equal(lease.lost.reason, 'lost')
  assert.ok(lease.ended.aborted)
})

test('a lease is lost and not renewed again after a renewal is refused', async () => {
  const { lease, clock, renewals } = createLease(async () => false)
  clock.ms = 20
  await lease.renewIfDue()
  assert.ok(lease.lost.aborted)
  clock.ms = 40
  await lease.renewIfDue()
  assert.equal(renewals.length, 1)
})

test('a failed renewal leaves the lease unchanged and is retried later', async () => {
  const { lease, clock, renewals } = createLease(async () => {
    throw new Error('no database')
  })
  clock.ms = 20
  await assert.rejects(lease.renewIfDue(), /no database/)
  assert.equal(lease.renewInMs, 20)
  assert.ok(lease.isHeld)
  clock.ms = 71
  assert.equal(lease.isHeld, false)
  assert.equal(renewals.length, 1)
})

test('a clock that was set back makes a renewal due', async () => {
  const { lease, clock, renewals } = createLease()
  clock.ms = -10_000
  await lease.renewIfDue()
  assert.deepEqual(renewals, [-9_900])
  await lease.renewIfDue()
  assert.equal(renewals.length, 1)
})

test('keep renews on a timer until the lease ends', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const { lease, clock, renewals } = createLease()
    const pass = async () => {
      clock.ms += 20
      mock.timers.tick(20)
      // The timer's work continues in microtasks.
      for (let turn = 0; turn < 10; turn++) await undefined
    }
    lease.keep()
    await pass()
    await pass()
    assert.deepEqual(renewals, [120, 140])
    lease.end()
    await pass()
    assert.equal(renewals.length, 2)
    assert.equal(lease.lost.aborted, false)
  } finally {
    mock.timers.reset()
  }
})
