import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { HmacSha256Key, signingKey } from '../../../../../src/storage/s3/sigv4/signing-key.ts'

const scope = { secretKey: 'secret', region: 'us-east-1' }

test('signingKey caches the keys in use and drops the oldest ones above its limit', () => {
  const first = signingKey({ ...scope, day: '20130101' })
  assert.equal(signingKey({ ...scope, day: '20130101' }), first)
  for (let day = 2; day <= 4_097; day++) signingKey({ ...scope, day: `201301${day}` })
  const again = signingKey({ ...scope, day: '20130101' })
  assert.notEqual(again, first)
  assert.equal(again.signHex('text'), first.signHex('text'))
})

test('signingKey differs by day, region and secret', () => {
  const codes = [
    signingKey({ ...scope, day: '20130101' }),
    signingKey({ ...scope, day: '20130102' }),
    signingKey({ ...scope, region: 'eu', day: '20130101' }),
    signingKey({ ...scope, secretKey: 'other', day: '20130101' }),
  ].map((key) => key.signHex('text'))
  assert.equal(new Set(codes).size, 4)
})

test('signingKey returns the key of its scope, whichever was asked for before', () => {
  const scopes = ['a', 'b'].flatMap((secretKey) =>
    ['20260101', '20260102'].flatMap((day) =>
      ['eu-central-1', 'us-east-1'].map((region) => ({ secretKey, day, region })),
    ),
  )
  const signed = scopes.map((scope) => signingKey(scope).signHex('text'))
  assert.equal(new Set(signed).size, scopes.length)
  for (const [index, scope] of scopes.entries()) {
    for (const before of scopes) {
      signingKey(before, true)
      assert.equal(signingKey(scope).signHex('text'), signed[index])
    }
  }
})

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
