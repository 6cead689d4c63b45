import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signingKey } from '../../../../../src/storage/s3/sigv4/signing-key.ts'

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
