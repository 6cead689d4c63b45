import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeldLease } from '../../../../src/platform/process/held-lease.ts'
import { setDiedElsewhere, thisProcess } from '../../../../src/platform/process/identity.ts'
import {
  isLeaseFree,
  isOwnerDeadHere,
  newLeaseOwner,
} from '../../../../src/platform/process/lease-owner.ts'

const [host] = thisProcess.split('/')

test('Each lease of a process has a different owner', () => {
  assert.notEqual(newLeaseOwner(), newLeaseOwner())
})

for (const [title, leaseOwner, leaseUntilMs, isFree] of [
  ['no process holds', '', 0, true],
  ['this process holds', newLeaseOwner(), 101, false],
  ['this process did not renew', newLeaseOwner(), 100, true],
  ['a dead process held', newLeaseOwner(`${host}/999999999/1`), 1_000_000, true],
  ['another host holds', newLeaseOwner('elsewhere/1/1'), 101, false],
  ['another host did not renew', newLeaseOwner('elsewhere/1/1'), 99, true],
] as const) {
  test(`A lease that ${title} is ${isFree ? 'free' : 'taken'}`, () => {
    assert.equal(isLeaseFree({ leaseOwner, leaseUntilMs }, 100), isFree)
  })
}

test('A lease of a process that has died on another host is free, but what it wrote may still arrive', (t) => {
  t.after(() => setDiedElsewhere([]))
  setDiedElsewhere(['elsewhere/1/1'])
  const leaseOwner = newLeaseOwner('elsewhere/1/1')
  assert.equal(isLeaseFree({ leaseOwner, leaseUntilMs: 101 }, 100), true)
  assert.equal(isOwnerDeadHere(leaseOwner), false)
  assert.equal(isOwnerDeadHere(newLeaseOwner(`${host}/999999999/1`)), true)
  assert.equal(isOwnerDeadHere(newLeaseOwner()), false)
})

test('A lease whose expiry is too far away is free when it was not renewed for 60 s', (t) => {
  const clock = t.mock.method(performance, 'now', () => 5_000)
  const nowMs = 1_000_000
  const lease = { leaseOwner: newLeaseOwner('elsewhere/1/1'), leaseUntilMs: nowMs + 3_600_000 }
  assert.equal(isLeaseFree(lease, nowMs), false)
  clock.mock.mockImplementation(() => 65_000)
  assert.equal(isLeaseFree(lease, nowMs), false)
  clock.mock.mockImplementation(() => 65_001)
  assert.equal(isLeaseFree(lease, nowMs), true)
  // The holder has renewed it, by a clock that was not measured again yet.
  assert.equal(isLeaseFree({ ...lease, leaseUntilMs: nowMs + 3_605_000 }, nowMs), false)
  assert.equal(isLeaseFree({ ...lease, leaseUntilMs: nowMs + 60_000 }, nowMs), false)
})

test('A lease that ends later than any can is not free while its holder may work', (t) => {
  let ageMs = 0
  t.mock.method(performance, 'now', () => ageMs)
  t.mock.method(Date, 'now', () => ageMs)
  const nowMs = 1_000_000
  const leaseOwner = newLeaseOwner('elsewhere/1/2')
  const leaseUntilMs = nowMs + 3_600_000
  const held = new HeldLease({
    ...{ owner: leaseOwner, untilMs: leaseUntilMs, leaseMs: 60_000, renewEveryMs: 5_000 },
    now: () => nowMs + ageMs,
    renew: () => Promise.reject(new Error('the database does not answer')),
    lostReason: () => undefined,
  })
  for (; held.isHeld; ageMs += 1_000) {
    assert.equal(isLeaseFree({ leaseOwner, leaseUntilMs }, nowMs + ageMs), false, `${ageMs} ms`)
  }
  assert.equal(isLeaseFree({ leaseOwner, leaseUntilMs }, nowMs + ageMs), true)
})
