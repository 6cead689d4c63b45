import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  includesEtag,
  parseIfMatch,
  parseIfNoneMatch,
  quoteEtag,
  unquoteEtag,
} from '../../../../../src/storage/s3/checksums/etag.ts'

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
