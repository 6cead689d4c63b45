import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { percentDecode } from '../../../../../src/storage/s3/address/query.ts'
import {
  isReachable,
  keyBytes,
  objectPath,
  s3Uri,
} from '../../../../../web/src/files/entries/object-address.ts'

const anyKey = fc.string({ minLength: 1, unit: 'binary' })

describe('objectPath', () => {
  test('escapes everything that is not allowed in a path, except slashes', () => {
    assert.equal(
      objectPath('b', "a b+c%/é//'(x)*.txt"),
      '/b/a%20b%2Bc%25/%C3%A9//%27%28x%29%2A.txt',
    )
  })

  test('decodes to the key', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        assert.equal(percentDecode(objectPath('b', key)), `/b/${key}`)
      }),
    )
  })

  test('is unchanged by a browser if the key is reachable', () => {
    fc.assert(
      fc.property(anyKey.filter(isReachable), (key) => {
        const path = objectPath('b', key)
        assert.equal(new URL(`http://host${path}`).pathname, path)
      }),
    )
  })
})

describe('isReachable', () => {
  for (const key of ['..', '.', 'a/../b', './a', 'a/.', 'a/./']) {
    test(`refuses ${JSON.stringify(key)}, which a browser changes`, () => {
      assert.equal(isReachable(key), false)
      const path = objectPath('b', key)
      assert.notEqual(new URL(`http://host${path}`).pathname, path)
    })
  }

  for (const key of ['...', '.a', 'a..b', 'a//b', ' ', '/']) {
    test(`allows ${JSON.stringify(key)}`, () => assert.equal(isReachable(key), true))
  }
})

test('keyBytes counts UTF-8 bytes', () => {
  assert.equal(keyBytes('é😀a'), 7)
})

test('s3Uri contains the unencoded key', () => {
  assert.equal(s3Uri('b', 'a b/é'), 's3://b/a b/é')
})
