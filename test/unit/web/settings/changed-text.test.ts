import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountOrNone, changedBuckets } from '../../../../web/src/settings/changed-text.ts'

const bucket = {
  ...{ source: 'environment' as const, isPublic: false, isPublicFromEnvironment: false },
  ...{ quotaBytes: null, allowedOrigins: null, expiry: [] },
}

test('What was set for buckets at run time is counted', () => {
  assert.equal(
    changedBuckets([bucket, { ...bucket, isPublic: true, isPublicFromEnvironment: true }]),
    'none',
  )
  const made = { ...bucket, source: 'created' as const, isPublic: true, quotaBytes: 5 }
  assert.equal(changedBuckets([bucket, made, made]), '2 created, 2 made public, 2 with a quota')
  assert.equal(changedBuckets([{ ...bucket, allowedOrigins: ['*'] }]), '1 with CORS rules')
  assert.equal(amountOrNone(0, String), 'none')
  assert.equal(
    amountOrNone(2, (n) => `${n} keys`),
    '2 keys',
  )
})
