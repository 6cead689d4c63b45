import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressBlock } from '../../../../../src/platform/state/key-value/attempt-limiter.ts'

const cases: readonly (readonly [address: string, block: string])[] = [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2::1', '20010db800010002/64'],
  ['2001:db8:1:2:ffff:ffff:ffff:ffff', '20010db800010002/64'],
  ['2001:db8:1:3::1', '20010db800010003/64'],
  ['::1', '0000000000000000/64'],
  ['fe80::1%eth0', 'fe80000000000000/64'],
  ['', 'unknown'],
  ['not an address', 'unknown'],
]

for (const [address, block] of cases) {
  test(`addressBlock counts ${address || 'no address'} as ${block}`, () => {
    assert.equal(addressBlock(address), block)
  })
}
