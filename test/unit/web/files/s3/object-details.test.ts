import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDetails } from '../../../../../web/src/files/s3/object-details.ts'

test('readDetails returns the metadata from the headers of an object', () => {
  const utf8 = Buffer.from('é €').toString('latin1')
  const headers = new Headers({
    'content-length': '12',
    'content-type': 'text/plain',
    etag: '"abc-2"',
    'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
    'cache-control': 'no-cache',
    'x-amz-meta-colour': '=?UTF-8?B?w6kg4oKs?=',
    'x-amz-meta-long': '=?UTF-8?B?w6k=?= =?UTF-8?B?IOKCrA==?=',
    'x-amz-meta-mixed': 'a =?UTF-8?B?w6k=?= b =?UTF-8?B?!?= =?UTF-8?Q?=C3=A9?=',
    'content-disposition': utf8,
    'content-language': 'caf\u00e9',
    'x-amz-request-id': '1',
    'x-amz-checksum-crc32': 'hYjM7Q==',
  })
  assert.deepEqual(readDetails(headers), {
    size: 12,
    contentType: 'text/plain',
    etag: 'abc-2',
    modifiedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
    headers: [
      ['Cache-Control', 'no-cache'],
      ['Content-Disposition', 'é €'],
      ['Content-Language', 'café'],
    ],
    checksums: [['CRC32', 'hYjM7Q==']],
    metadata: [
      ['colour', 'é €'],
      ['long', 'é €'],
      ['mixed', 'a é b =?UTF-8?B?!?= =?UTF-8?Q?=C3=A9?='],
    ],
  })
})

test('readDetails says why a version cannot be deleted', () => {
  const lockOf = (headers: Record<string, string>) => readDetails(new Headers(headers)).lock
  const until = '2999-01-02T03:04:05.000Z'
  assert.deepEqual(lockOf({ 'x-amz-object-lock-retain-until-date': until }), {
    untilMs: Date.parse(until),
    hasLegalHold: false,
  })
  assert.deepEqual(lockOf({ 'x-amz-object-lock-legal-hold': 'ON' }), { hasLegalHold: true })
  const ended = '2001-01-02T03:04:05.000Z'
  assert.equal(
    lockOf({
      'x-amz-object-lock-retain-until-date': ended,
      'x-amz-object-lock-legal-hold': 'OFF',
    }),
    undefined,
  )
})
