import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCount } from '../../../../../src/storage/s3/address/query.ts'
import { isS3Error } from '../read-fixture.ts'

const limits = { min: 1, max: 1000 }

test('parseCount returns the maximum for a missing or larger value', () => {
  assert.equal(parseCount('max-keys', undefined, limits), 1000)
  assert.equal(parseCount('max-keys', '1001', limits), 1000)
  assert.equal(parseCount('max-keys', '2147483647', limits), 1000)
  assert.equal(parseCount('max-keys', '7', limits), 7)
})

for (const text of ['', '0', '-1', '1.5', '1e3', ' 1', 'ten', '2147483648', '99999999999999']) {
  test(`parseCount refuses "${text}"`, () => {
    assert.throws(
      () => parseCount('max-keys', text, limits),
      isS3Error('InvalidArgument', { ArgumentName: 'max-keys', ArgumentValue: text }),
    )
  })
}
