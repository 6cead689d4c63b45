import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type DavUploadState,
  formatUploadState,
  parseUploadState,
} from '../../../../../../src/storage/drives/webdav/uploads/upload-bytes.ts'

/** As the first versions stored them: an older gateway of the fleet has to read them, too. */
const stored: readonly (readonly [text: string, state: DavUploadState])[] = [
  ['{"id":"u-1","kind":"append","inner":""}', { kind: 'append', id: 'u-1' }],
  ['{"id":"u-1","kind":"chunks","inner":"0"}', { kind: 'chunks', id: 'u-1', count: 0 }],
  ['{"id":"u-1","kind":"chunks","inner":"12"}', { kind: 'chunks', id: 'u-1', count: 12 }],
  [
    String.raw`{"id":"u-1","kind":"spool","inner":"{\"id\":\"u-1\"}"}`,
    { kind: 'spool', id: 'u-1', staged: '{"id":"u-1"}' },
  ],
]

for (const [text, state] of stored) {
  test(`The state ${text} has the same form in the database as in the version before`, () => {
    assert.deepEqual(parseUploadState(text), state)
    assert.equal(formatUploadState(state), text)
  })
}

test('The state of another drive is not taken for one of this drive', () => {
  for (const text of [
    'u-1:0',
    'null',
    '{"id":"u-1","target":{"bucket":"b","key":"k"}}',
    '{"id":"../u","kind":"append","inner":""}',
    '{"id":"u-1","kind":"tape","inner":""}',
    '{"id":"u-1","kind":"chunks","inner":"-1"}',
    '{"id":"u-1","kind":"chunks","inner":"x"}',
    '{"id":"u-1","kind":"chunks","inner":3}',
  ]) {
    assert.throws(() => parseUploadState(text), { kind: 'upload-gone' }, text)
  }
})
