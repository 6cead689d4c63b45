import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isExpectedFailure } from '../../../../src/dashboard/management/expected-failures.ts'
import { servedBuckets } from '../../../support/served-buckets.ts'

const buckets = servedBuckets(['files'])

for (const [title, status, logFields, isOrdinary] of [
  ['an object that is not there', 404, { code: 'NoSuchKey', bucket: 'files' }, true],
  ['a configuration that is not there', 404, { code: 'NoSuchTagSet', bucket: 'files' }, true],
  ['an upload that is not there', 404, { code: 'NoSuchUpload', bucket: 'files' }, false],
  ['a condition that does not hold', 412, { code: 'PreconditionFailed' }, true],
  ['a range behind the end', 416, { code: 'InvalidRange' }, true],
  ['a session that is over', 401, { operation: 'getStatus' }, true],
  ['a wrong password', 401, { operation: 'login' }, false],
  ['too many wrong passwords', 429, { operation: 'login' }, false],
  ['a wrong signature', 403, { code: 'AccessDenied', bucket: 'files' }, false],
  ['a wrong signature for a bucket of others', 403, { code: 'AccessDenied', bucket: 'x' }, false],
  ['a missing signature', 403, { bucket: 'files', anonymous: true }, false],
  ['a missing signature for a list of buckets', 403, { anonymous: true }, false],
  ['a scanner', 403, { code: 'AccessDenied', bucket: 'wp-login.php', anonymous: true }, true],
  [
    'a missing signature by virtual host',
    403,
    { bucket: 'x', anonymous: true, virtualHost: true },
    false,
  ],
  ['a connection that nobody used', 400, { code: 'RequestTimeout' }, true],
  ['a connection that ended in its headers', 400, { code: 'IncompleteBody' }, true],
  ['an upload that ended', 400, { code: 'IncompleteBody', operation: 'PutObject' }, false],
  ['a body that stood still', 400, { code: 'RequestTimeout', operation: 'PutObject' }, false],
  ['what is no HTTP', 400, { code: 'BadRequest' }, false],
  ['a part that came too early', 503, { code: 'SlowDown', bucket: 'files' }, false],
  ['a failure of ours', 500, undefined, false],
] as const) {
  test(`${title} is ${isOrdinary ? 'part of normal life' : 'told'}`, () => {
    assert.equal(isExpectedFailure({ method: 'GET', status, logFields }, buckets), isOrdinary)
  })
}

test('a bucket that is missing is told, but not if a client only asks whether it is there', () => {
  const failure = { status: 404, logFields: { code: 'NoSuchBucket', bucket: 'misspelled' } }
  assert.equal(isExpectedFailure({ method: 'GET', ...failure }, buckets), false)
  assert.equal(isExpectedFailure({ method: 'HEAD', ...failure }, buckets), true)
})
