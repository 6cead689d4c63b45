import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../../src/storage/s3/operations.ts'
import {
  authorText,
  beginningOf,
  moreText,
  targetText,
  technicalText,
} from '../../../../web/src/activity/requests/request-text.ts'
import { eventText } from '../../../../web/src/activity/requests/request-words.ts'
import { searchOf } from '../../../../web/src/activity/requests/search-words.ts'

test('A search also finds what is shown in other words', () => {
  assert.equal(
    searchOf(' deleted  SEA.jpg '),
    'deleted|DeleteObject|DeleteObjects|deleteModelKey|delete|erase SEA.jpg',
  )
  assert.equal(searchOf('refused'), 'refused|4xx')
  assert.equal(
    searchOf('longer'),
    'longer|The\u00a0specified\u00a0key\u00a0does\u00a0not\u00a0exist|The\u00a0specified\u00a0version\u00a0does\u00a0not\u00a0e|The\u00a0specified\u00a0upload\u00a0does\u00a0not\u00a0ex',
  )
  assert.equal(searchOf(''), '')
  const long = 'the '.repeat(250).trim()
  assert.equal(searchOf(long), long)
})

test('A request is named in the words of people, with the technical name apart', () => {
  const put = { method: 'PUT', operation: 'PutObject', action: null, status: 200 }
  assert.equal(eventText(put), 'Uploaded')
  assert.equal(eventText({ ...put, status: 403 }), 'Upload refused')
  assert.equal(eventText({ ...put, status: 503 }), 'Upload failed')
  const job = { ...put, operation: 'startFileJob' }
  assert.equal(eventText({ ...job, action: 'restore' }), 'Restored')
  assert.equal(eventText({ ...job, action: 'trash' }), 'Moved to the trash')
  const visit = { method: 'GET', operation: 'share', status: 200, action: 'view' }
  assert.equal(eventText(visit), 'Opened by link')
  assert.equal(eventText({ ...visit, status: 403, action: null }), 'Link refused')
  assert.equal(eventText({ ...put, operation: 'PutBucketCors' }), 'Changed a setting of')
  assert.equal(eventText({ ...put, operation: null, status: 400 }), 'Request refused')
  assert.equal(targetText({ bucket: 'photos', key: 'a/b.jpg' }), 'photos/a/b.jpg')
  assert.equal(targetText({ bucket: null, key: 'AK' }), 'AK')
  const refused = { ...put, status: 403, code: 'AccessDenied' }
  assert.equal(technicalText(refused), 'PutObject, 403 AccessDenied')
  assert.equal(technicalText({ ...put, operation: null, code: null }), 'PUT, 200')
})

test('A change of a setting without a file is a whole sentence', () => {
  const created = { method: 'POST', operation: 'createCombo', action: null, status: 201 }
  assert.equal(eventText(created), 'Added a combo')
  assert.equal(eventText({ ...created, operation: 'somethingNew' }), 'Changed a setting')
  assert.equal(
    eventText({ ...created, operation: 'somethingNew', status: 403 }),
    'Change of a setting refused',
  )
})

/** Sentences of people have no name of an API in them. */
test('No operation that changes something has its technical name as its text', () => {
  const changing = Object.entries(operations).flatMap(([operation, { method }]) =>
    method === 'GET' || method === 'HEAD' ? [] : [{ operation, method }],
  )
  for (const { operation, method } of changing) {
    const text = eventText({ operation, method, action: null, status: 200 })
    assert.doesNotMatch(text, /[a-z][A-Z]/, operation)
  }
})

test('A request says who sent it', () => {
  assert.equal(authorText({ by: 'key', accessKey: 'photo frame' }), 'with the app key photo frame')
  assert.equal(authorText({ by: 'owner', accessKey: null }), 'with the main key')
  assert.equal(authorText({ by: 'dashboard', accessKey: null }), 'in the dashboard')
  assert.equal(authorText({ by: 'anyone', accessKey: null }), 'without a key')
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
