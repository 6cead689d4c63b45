import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectMetadata } from '../../../../../src/storage/drives/drive.ts'
import {
  evaluateReadConditions,
  includesEtag,
  parseIfMatch,
  parseIfNoneMatch,
  quoteEtag,
  readConditions,
  unquoteEtag,
  writeConditions,
} from '../../../../../src/storage/s3/headers/preconditions.ts'

const modified = 'Wed, 01 Jan 2025 12:00:00 GMT'
const before = 'Wed, 01 Jan 2025 11:59:59 GMT'
const after = 'Wed, 01 Jan 2025 12:00:01 GMT'
const metadata: ObjectMetadata = {
  size: 3,
  // 700 ms after the time in Last-Modified.
  modifiedAtMs: Date.UTC(2025, 0, 1, 12, 0, 0, 700),
  attributes: { etag: 'abc', headers: {}, metadata: {} },
}

const cases: readonly (readonly [headers: Record<string, string>, outcome: string])[] = [
  [{ 'if-match': '"abc"' }, 'met'],
  [{ 'if-match': 'abc' }, 'met'],
  [{ 'if-match': '*' }, 'met'],
  [{ 'if-match': '"x", "abc"' }, 'met'],
  [{ 'if-match': '"x"' }, 'failed'],
  [{ 'if-match': 'W/"abc"' }, 'failed'],
  [{ 'if-none-match': '"abc"' }, 'not-modified'],
  [{ 'if-none-match': 'W/"abc"' }, 'not-modified'],
  [{ 'if-none-match': '*' }, 'not-modified'],
  [{ 'if-none-match': '"x"' }, 'met'],
  [{ 'if-modified-since': before }, 'met'],
  [{ 'if-modified-since': modified }, 'not-modified'],
  [{ 'if-modified-since': after }, 'not-modified'],
  [{ 'if-modified-since': 'Wed Jan  1 12:00:00 2025' }, 'not-modified'],
  [{ 'if-modified-since': 'nonsense' }, 'met'],
  [{ 'if-unmodified-since': before }, 'failed'],
  [{ 'if-unmodified-since': modified }, 'met'],
  [{ 'if-unmodified-since': 'nonsense' }, 'met'],
  // The pairs that AWS documents.
  [{ 'if-match': '"abc"', 'if-unmodified-since': before }, 'met'],
  [{ 'if-none-match': '"abc"', 'if-modified-since': before }, 'not-modified'],
  // The rest of RFC 9110 section 13.2.2.
  [{ 'if-match': '"x"', 'if-unmodified-since': after }, 'failed'],
  [{ 'if-none-match': '"x"', 'if-modified-since': after }, 'met'],
  [{ 'if-match': '"abc"', 'if-none-match': '"abc"' }, 'not-modified'],
  [{ 'if-match': '"x"', 'if-none-match': '"abc"' }, 'failed'],
  [{ 'if-unmodified-since': modified, 'if-modified-since': modified }, 'not-modified'],
]

for (const [headers, outcome] of cases) {
  test(`evaluateReadConditions is ${outcome} for ${JSON.stringify(headers)}`, () => {
    const conditions = readConditions(headers)
    assert.ok(conditions)
    assert.equal(evaluateReadConditions(conditions, metadata), outcome)
  })
}

test('readConditions is undefined for a request without conditions', () => {
  assert.equal(readConditions({ range: 'bytes=0-1' }), undefined)
})

test('readConditions with a prefix reads only the x-amz-copy-source-if-* fields', () => {
  assert.equal(readConditions({ 'if-match': 'x' }, 'x-amz-copy-source-'), undefined)
  assert.deepEqual(
    readConditions({ 'x-amz-copy-source-if-none-match': '"a"' }, 'x-amz-copy-source-'),
    {
      ifMatch: undefined,
      ifNoneMatch: '"a"',
      ifModifiedSince: undefined,
      ifUnmodifiedSince: undefined,
    },
  )
})

test('writeConditions returns ETags without quotes, and undefined without conditions', () => {
  assert.equal(writeConditions({}), undefined)
  assert.deepEqual(writeConditions({ 'if-none-match': '*' }), { ifNoneMatch: '*' })
  assert.deepEqual(writeConditions({ 'if-match': '"abc"' }), { ifMatch: ['abc'] })
})

test('quoteEtag and unquoteEtag are inverse', () => {
  assert.equal(quoteEtag('abc-2'), '"abc-2"')
  assert.equal(unquoteEtag(quoteEtag('abc-2')), 'abc-2')
})

test('unquoteEtag accepts an ETag without quotes and with surrounding space', () => {
  assert.equal(unquoteEtag(' abc '), 'abc')
  assert.equal(unquoteEtag('"'), '"')
})

test('parseIfMatch reads lists, bare tokens and the star', () => {
  assert.deepEqual(parseIfMatch('"a", "b,c" ,d'), ['a', 'b,c', 'd'])
  assert.equal(parseIfMatch(' * '), '*')
  assert.deepEqual(parseIfMatch('"*"'), ['*'])
})

test('parseIfMatch drops weak ETags, because it compares strongly', () => {
  assert.deepEqual(parseIfMatch('W/"a", "b"'), ['b'])
  assert.equal(includesEtag(parseIfMatch('W/"a"'), 'a'), false)
})

test('parseIfNoneMatch keeps weak ETags, because it compares weakly', () => {
  assert.deepEqual(parseIfNoneMatch('W/"a", "b"'), ['a', 'b'])
})

test('includesEtag is true for * and any ETag', () => {
  assert.equal(includesEtag('*', 'x'), true)
  assert.equal(includesEtag(['a', 'b'], 'b'), true)
  assert.equal(includesEtag([], 'b'), false)
})
