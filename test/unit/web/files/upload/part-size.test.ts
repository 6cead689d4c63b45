import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partSize } from '../../../../../web/src/files/upload/part-size.ts'

const mebibyte = 1024 ** 2
const tebibyte = 1024 ** 4

test('partSize is 16 MiB for ordinary files', () => {
  assert.equal(partSize(60 * mebibyte), 16 * mebibyte)
  assert.equal(partSize(1_000 * 16 * mebibyte), 16 * mebibyte)
})

test('partSize grows so that a thousand parts hold the file', () => {
  for (const size of [20 * 1024 * mebibyte, tebibyte, 5 * tebibyte, 50 * tebibyte + 1]) {
    assert.ok(Math.ceil(size / partSize(size)) <= 1_000, String(size))
    assert.equal(partSize(size) % mebibyte, 0)
  }
})
