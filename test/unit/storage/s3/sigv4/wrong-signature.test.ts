import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Credential } from '../../../../../src/storage/access/access-keys.ts'
import { owner } from '../../../../../src/storage/access/authorize.ts'
import { authenticate } from '../../../../../src/storage/s3/sigv4/authenticate.ts'
import { HmacSha256Key } from '../../../../../src/storage/s3/sigv4/signing-key.ts'
import { nowMs, plain, refusal, type Signable, settings, sign } from './signed-request.ts'

const known: Credential = { secretKeys: ['secret'], identity: owner }
const credentials: Readonly<Record<string, Credential | undefined>> = {
  unknown: undefined,
  known,
  rotated: { ...known, secretKeys: ['secret', 'old secret'] },
  disabled: { ...known, refusal: 'This access key is disabled.' },
}

/** The signatures that are computed for a request, and the refusal. */
function outcome(t: TestContext, request: Signable, credential: Credential | undefined) {
  const signHex = t.mock.method(HmacSha256Key.prototype, 'signHex')
  const sent = sign({ ...request, signed: { ...request.signed, secretKey: 'guessed' } })
  signHex.mock.resetCalls()
  const { code, message } = refusal(() =>
    authenticate(sent, { ...settings, keys: { find: () => credential } }, nowMs),
  )
  const signatures = signHex.mock.callCount()
  signHex.mock.restore()
  return { signatures, code, message }
}

for (const [title, request] of [
  ['as it was received', plain],
  ['that has other readings', { ...plain, target: '/bucket/a%20b+c?x=%7e' }],
] as const) {
  test(`A wrong signature of a request ${title} costs the same for every access key`, (t) => {
    const { unknown } = credentials
    const expected = outcome(t, request, unknown)
    assert.ok(expected.signatures >= 2)
    for (const [name, credential] of Object.entries(credentials)) {
      assert.deepEqual(outcome(t, request, credential), expected, name)
    }
  })
}

test('A right signature costs one, so that no request pays for the others', (t) => {
  const sent = sign({ ...plain, signed: { secretKey: 'secret' } })
  const signHex = t.mock.method(HmacSha256Key.prototype, 'signHex')
  authenticate(sent, { ...settings, keys: { find: () => known } }, nowMs)
  assert.equal(signHex.mock.callCount(), 1)
})
