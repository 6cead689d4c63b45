import assert from 'node:assert/strict'
import { test } from 'node:test'
import { thisProcess } from '../../../src/process/identity.ts'
import { isLeaseFree, newLeaseOwner } from '../../../src/process/lease-owner.ts'

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
