import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureText } from '../../../../web/src/activity/failures/failure-target.ts'
import { hasWords } from '../../../../web/src/ui/has-words.ts'

const failure = {
  ...{ at: '2026-01-01T00:00:00.000Z', requestId: 'R1', method: 'PUT', bucket: 'photos' },
  ...{ key: 'a.jpg', operation: 'PutObject', status: 403, code: 'AccessDenied' },
  ...{ reason: 'The clock.', remoteAddress: '192.0.2.7' },
}
const other = {
  ...failure,
  requestId: 'R2',
  bucket: 'music',
  status: 503,
  code: null,
  reason: null,
}

for (const [text, ids] of [
  ['', ['R1', 'R2']],
  ['photos', ['R1']],
  ['PHOTOS 403', ['R1']],
  ['503', ['R2']],
  ['clock', ['R1']],
  ['192.0.2.7', ['R1', 'R2']],
  ['photos 503', []],
  ['null', []],
] as const) {
  test(`The filter "${text}" shows ${ids.join(' and ') || 'nothing'}`, () => {
    const shown = [failure, other].filter((each) => hasWords(failureText(each), text))
    assert.deepEqual(
      shown.map(({ requestId }) => requestId),
      ids,
    )
  })
}
