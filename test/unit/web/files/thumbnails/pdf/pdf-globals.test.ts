import assert from 'node:assert/strict'
import { after, test } from 'node:test'

const { Uint8Array: Bytes, DecompressionStream: Decompression } = globalThis

after(() => Object.assign(globalThis, { Uint8Array: Bytes, DecompressionStream: Decompression }))

const mebibyte = 1024 * 1024

/** The module changes what the thread has: it is not known to the types of this process. */
const path = '../../../../../../web/src/files/thumbnails/pdf/pdf-globals.ts'

test('a page whose pictures take much memory together ends its thread', async () => {
  const answers: unknown[] = []
  let isClosed = false
  const thread = {
    postMessage: (answer: unknown) => void answers.push(answer),
    close() {
      isClosed = true
    },
  }
  Object.assign(globalThis, thread)
  const { resetLimits } = await import(path)
  for (let file = 1; file <= 3; file++) {
    resetLimits()
    // Small ones do not count.
    for (let index = 0; index < 2_000; index++) new Uint8Array(mebibyte / 2)
    for (let index = 0; index < 5; index++) new Uint8Array(100 * mebibyte)
  }
  assert.deepEqual([answers, isClosed], [[], false])
  assert.throws(() => new Uint8Array(100 * mebibyte), RangeError)
  assert.deepEqual([answers, isClosed], [[{ problem: 'refused' }], true])
  assert.throws(() => new Uint8Array(129 * mebibyte), RangeError)
})
