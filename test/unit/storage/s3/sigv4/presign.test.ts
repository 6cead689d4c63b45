import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isLegalKey } from '../../../../../src/storage/drives/kit/names/key-path.ts'
import { decodeKey, parseAddress } from '../../../../../src/storage/s3/address/address.ts'
import { parseQuery } from '../../../../../src/storage/s3/address/query.ts'
import { authenticate } from '../../../../../src/storage/s3/sigv4/authenticate.ts'
import { presign } from '../../../../../src/storage/s3/sigv4/presign.ts'
import { fakeRequest } from '../fake-request.ts'
import { nowMs, settings, signedPresigned } from './signed-request.ts'

const origin = 'https://s3.example.org:8443'
const text = fc.string({ unit: 'binary', maxLength: 40 })
const keys = text.filter(isLegalKey)
const queries = fc.dictionary(
  text.filter((name) => name !== '' && !/^(?:x-amz-|signature$|awsaccesskeyid$)/i.test(name)),
  text,
  { maxKeys: 5, noNullPrototype: true },
)

test('presign returns an accepted URL for the requested operation, for any key and query', () => {
  fc.assert(
    fc.property(keys, queries, (key, query) => {
      const path = `/bucket/${key}`
      const request = { method: 'GET', origin, path, query, expiresSeconds: 300 }
      const url = presign({ ...request, ...settings, nowMs })
      assert.match(url, /^[!-~]+$/)
      assert.ok(url.startsWith(`${origin}/bucket/`))
      const received = fakeRequest({
        target: url.slice(origin.length),
        headers: { host: 's3.example.org:8443' },
      })
      assert.deepEqual(authenticate(received, settings, nowMs), signedPresigned)
      const address = parseAddress(received.rawPath)
      assert.ok(address.level === 'object' && address.bucket === 'bucket')
      assert.equal(decodeKey(address.rawKey), key)
      const parameters = parseQuery(received.rawQuery)
      for (const [name, value] of Object.entries(query)) assert.equal(parameters.get(name), value)
    }),
  )
})
