import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { OwnerKey } from '../../../../../src/storage/access/access-keys.ts'
import { authenticate } from '../../../../../src/storage/s3/sigv4/authenticate.ts'
import { fakeRequest } from '../fake-request.ts'
import { refusal, signedHeader } from './signed-request.ts'

const { recordedAt, requests, region, ...credentials } = JSON.parse(
  readFileSync(new URL('../../../../vectors/recorded-requests.json', import.meta.url), 'utf8'),
)
const keys = new OwnerKey(credentials)

for (const { client, needs, publicUrl, ...recorded } of requests) {
  const nowMs = Date.parse(recorded.recordedAt ?? recordedAt)
  test(`accepts ${client}, which needs ${needs}`, () => {
    const settings = { region, regions: [], keys, publicUrl }
    assert.deepEqual(authenticate(fakeRequest(recorded), settings, nowMs), signedHeader)
    const other = fakeRequest({ ...recorded, target: recorded.target.replace('/bucket', '/other') })
    assert.match(refusal(() => authenticate(other, settings, nowMs)).message, /does not match/)
  })
}
