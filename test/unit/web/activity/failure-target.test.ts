import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureTarget } from '../../../../web/src/activity/failures/failure-target.ts'

for (const [method, operation, bucket, key, text] of [
  ['PUT', 'PutObject', 'photos', 'a/b.jpg', 'PutObject photos/a/b.jpg'],
  ['GET', null, 'photos', null, 'GET photos'],
  ['POST', 'login', null, null, 'login'],
  ['GET', null, null, null, 'GET'],
] as const) {
  test(`failureTarget returns "${text}"`, () => {
    assert.equal(failureTarget({ method, operation, bucket, key }), text)
  })
}
