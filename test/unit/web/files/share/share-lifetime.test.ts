import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  customLifetime,
  shareLifetimes,
} from '../../../../../web/src/files/share/share-lifetime.ts'

test('customLifetime accepts one second to seven days', () => {
  assert.equal(customLifetime(30, 'minutes'), 1_800)
  assert.equal(customLifetime(1.5, 'hours'), 5_400)
  assert.equal(customLifetime(7, 'days'), 604_800)
  assert.equal(customLifetime(7.01, 'days'), undefined)
  assert.equal(customLifetime(0, 'days'), undefined)
  assert.equal(customLifetime(-1, 'hours'), undefined)
  assert.equal(customLifetime(Number.NaN, 'hours'), undefined)
})

test('shareLifetimes are within the limits of S3', () => {
  assert.deepEqual(shareLifetimes, [3_600, 86_400, 604_800])
})
