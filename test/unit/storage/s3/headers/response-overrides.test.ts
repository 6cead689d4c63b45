import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQuery } from '../../../../../src/storage/s3/address/query.ts'
import { responseOverrides } from '../../../../../src/storage/s3/headers/response-overrides.ts'
import { isS3Error } from '../read-fixture.ts'

test('responseOverrides maps the six parameters to header fields', () => {
  const query = parseQuery(
    'response-content-type=text%2Fplain&response-cache-control=a&response-content-disposition=b&response-content-encoding=c&response-content-language=d&response-expires=e&x-id=GetObject',
  )
  assert.deepEqual(responseOverrides(query, true), {
    'content-type': 'text/plain',
    'cache-control': 'a',
    'content-disposition': 'b',
    'content-encoding': 'c',
    'content-language': 'd',
    expires: 'e',
  })
})

test('responseOverrides is undefined when there are none', () => {
  assert.equal(responseOverrides(parseQuery('x-id=GetObject&response-expires='), false), undefined)
})

test('responseOverrides refuses unsigned requests', () => {
  assert.throws(
    () => responseOverrides(parseQuery('response-content-type=text/html'), false),
    isS3Error('InvalidRequest'),
  )
})

for (const value of ['a%0d%0aSet-Cookie:x', '%00', '%7f', '%E2%82%AC']) {
  test(`responseOverrides refuses ${value}, which no header field can carry`, () => {
    assert.throws(
      () => responseOverrides(parseQuery(`response-content-disposition=${value}`), true),
      isS3Error('InvalidArgument', { ArgumentName: 'response-content-disposition' }),
    )
  })
}

test('responseOverrides accepts latin1', () => {
  assert.deepEqual(responseOverrides(parseQuery('response-content-language=%C3%BC'), true), {
    'content-language': '\u00fc',
  })
})
