import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  authorText,
  beginningOf,
  moreText,
  requestTarget,
} from '../../../../web/src/activity/requests/request-text.ts'

test('A request is named by its operation and what it was about', () => {
  const put = { method: 'PUT', operation: 'PutObject', bucket: 'photos', key: 'a/b.jpg' }
  assert.deepEqual(requestTarget(put), { operation: 'PutObject', target: 'photos/a/b.jpg' })
  const unknown = { method: 'GET', operation: null, bucket: 'photos', key: null }
  assert.deepEqual(requestTarget(unknown), { operation: 'GET', target: 'photos' })
  const key = { method: 'DELETE', operation: 'revokeKey', bucket: null, key: 'AK' }
  assert.deepEqual(requestTarget(key), { operation: 'revokeKey', target: 'AK' })
})

test('A request says who sent it', () => {
  assert.equal(authorText({ by: 'key', accessKey: 'photo frame' }), 'by photo frame')
  assert.equal(authorText({ by: 'owner', accessKey: null }), 'by ACCESS_KEY')
  assert.equal(authorText({ by: 'dashboard', accessKey: null }), 'in the dashboard')
  assert.equal(authorText({ by: 'anyone', accessKey: null }), 'unsigned')
  assert.equal(authorText({ by: null, accessKey: null }), '')
})

test('What a flood leaves out is said, and a span begins at a minute', () => {
  assert.equal(moreText(0), undefined)
  assert.equal(moreText(1), '1 more change in this second')
  assert.equal(moreText(4_950), '4,950 more changes in this second')
  const nowMs = Date.parse('2026-01-02T03:04:05.678Z')
  assert.equal(beginningOf('hour', nowMs), '2026-01-02T02:04:00.000Z')
  assert.equal(beginningOf('day', nowMs), '2026-01-01T03:04:00.000Z')
  assert.equal(beginningOf('', nowMs), undefined)
})
