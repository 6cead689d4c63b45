import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isMask, maskOf } from '../../../../src/models/routing/given-key.ts'

test('maskOf shows the end of a long key and nothing of a short one', () => {
  assert.equal(maskOf('sk-0123456789abcdef'), '****cdef')
  assert.equal(maskOf('123456789012345'), '****')
  assert.equal(maskOf('1234567890123456'), '****3456')
  assert.equal(maskOf(''), '****')
  assert.equal(maskOf(undefined), '****')
})

test('isMask knows every mask', () => {
  fc.assert(fc.property(fc.string(), (apiKey) => isMask(maskOf(apiKey))))
  assert.equal(isMask('***x'), false)
})
