import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBucketName } from '../../../../src/app/settings/parse-names.ts'
import { bucketNameProblem } from '../../../../web/src/buckets/bucket-name.ts'

for (const name of ['ab', 'a'.repeat(64), 'Photos', 'photos_1', '-photos', 'photos.']) {
  test(`The form refuses the bucket name ${name.slice(0, 20)}, as the service does`, () => {
    assert.notEqual(bucketNameProblem(name), undefined)
    assert.equal(isBucketName(name), false)
  })
}

test('The form accepts a legal bucket name', () => {
  assert.equal(bucketNameProblem('photos.2026-a'), undefined)
  assert.ok(isBucketName('photos.2026-a'))
})
