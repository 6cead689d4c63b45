import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { HmacSha256Key } from '../../../../../src/storage/s3/sigv4/hmac-sha256.ts'

const latin1 = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes).toString('latin1'))

test('HmacSha256Key signs any texts like createHmac, with any key and repeatedly', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(latin1(3000), { minLength: 1, maxLength: 4 }),
      (key, texts) => {
        const ours = new HmacSha256Key(key)
        for (const text of texts) {
          const theirs = createHmac('sha256', key).update(Buffer.from(text, 'latin1')).digest('hex')
          assert.equal(ours.signHex(text), theirs)
        }
      },
    ),
  )
})
