import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { piecesFrom } from '../../../../../../src/storage/drives/google/api/chunk-bytes.ts'
import { collected } from './scripted-google.ts'

test('piecesFrom yields all bytes from the start on, however they are chunked', async () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(chunks, fc.nat(400), async (given, start) => {
      const pieces = await collected(piecesFrom(given, start))
      assert.deepEqual(Buffer.concat(pieces), Buffer.concat(given).subarray(start))
    }),
  )
})

test('piecesFrom cuts into pieces of 1 MiB and copies nothing', async () => {
  const chunk = new Uint8Array(2.5 * 1024 * 1024)
  const pieces = await collected(piecesFrom([chunk], 7))
  assert.deepEqual(
    pieces.map(({ length }) => length),
    [1_048_576, 1_048_576, 524_281],
  )
  assert.ok(pieces.every(({ buffer }) => buffer === chunk.buffer))
})
