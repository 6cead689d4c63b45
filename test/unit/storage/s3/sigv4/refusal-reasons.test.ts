import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpRequest } from '../../../../../src/platform/http/message.ts'
import { createS3Handler } from '../../../../../src/storage/s3/handler.ts'
import { presign } from '../../../../../src/storage/s3/sigv4/presign.ts'
import { servedBuckets } from '../../../../support/served-buckets.ts'
import { fakeRequest } from '../fake-request.ts'
import { serviceFor } from '../service-for.ts'
import { minuteMs, nowMs, plain, settings, sign, vectors } from './signed-request.ts'

function handlerAt(atMs: number, publicUrl?: string) {
  return createS3Handler(
    serviceFor({
      settings: { ...settings, publicUrl },
      keys: settings.keys,
      buckets: servedBuckets(['bucket']),
      now: () => atMs,
    }),
  )
}

function presigned(change: (url: URL) => void = () => undefined): HttpRequest {
  const url = new URL(
    presign({
      ...{ method: 'GET', origin: 'http://localhost:9000', path: '/bucket/key' },
      ...{ ...settings, nowMs, expiresSeconds: 300 },
    }),
  )
  change(url)
  const { host, pathname, search } = url
  return fakeRequest({ target: pathname + search, headers: { host } })
}

const key = { ...plain, headers: { ...plain.headers, 'x-amz-date': vectors.amzDate } }

const refusals: readonly (readonly [
  title: string,
  request: HttpRequest,
  reason: RegExp,
  answer: RegExp,
  atMs?: number,
])[] = [
  [
    'another secret',
    sign({ ...key, signed: { secretKey: 'other' } }),
    /client's secret key is not SECRET_KEY, or .* Host header is "localhost:9000"\. .*PUBLIC_URL/,
    /does not match the signature/,
  ],
  [
    'a clock that is behind',
    sign(key),
    /signed at 2013-05-24T00:00:00Z, 3 hours behind the clock here/,
    /<Code>RequestTimeTooSkewed/,
    nowMs + 180 * minuteMs,
  ],
  [
    'a clock that is ahead',
    sign(key),
    /16 minutes ahead of the clock here/,
    /<Code>RequestTimeTooSkewed/,
    nowMs - 16 * minuteMs,
  ],
  [
    'a URL that has ended',
    presigned(),
    /for 5 minutes and expired 2 days ago: create a new one/,
    /<Message>Request has expired<\/Message>/,
    nowMs + 2 * 24 * 60 * minuteMs + 5 * minuteMs,
  ],
  [
    'a URL without an end',
    presigned((url) => url.searchParams.delete('X-Amz-Expires')),
    /has no X-Amz-Expires/,
    /<Message>Request has expired<\/Message>/,
  ],
  [
    'a URL for too long',
    presigned((url) => url.searchParams.set('X-Amz-Expires', '604801')),
    /must be a whole number of seconds from 1 to 604800/,
    /<Message>Request has expired<\/Message>/,
  ],
  [
    'a URL of the future',
    presigned(),
    /which is 20 minutes from now/,
    /<Message>Request is not yet valid<\/Message>/,
    nowMs - 20 * minuteMs,
  ],
  [
    'another access key',
    presigned((url) => {
      const credential = url.searchParams.get('X-Amz-Credential') ?? ''
      url.searchParams.set('X-Amz-Credential', credential.replace(settings.accessKey, 'pasted'))
    }),
    /not this gateway's ACCESS_KEY/,
    /does not exist/,
  ],
  [
    'a header that is not signed',
    sign({
      ...key,
      headers: { ...key.headers, 'x-amz-acl': 'private' },
      signed: { names: ['host', 'x-amz-date'] },
    }),
    /not signed: x-amz-acl/,
    /not signed: x-amz-acl/,
  ],
  [
    'no signature',
    fakeRequest({ target: '/bucket/key', headers: { host: 'h' } }),
    /must be signed/,
    /must be signed/,
  ],
  [
    'a bucket that is not served',
    sign({ ...key, target: '/other/key' }),
    /ALLOWED_BUCKETS does not list the bucket "other"/,
    /other.* is not allowed/,
  ],
]

for (const [title, request, reason, answer, atMs = nowMs] of refusals) {
  test(`A refusal for ${title} explains the reason to the owner only`, async () => {
    const { status, logFields, body } = await handlerAt(atMs)(request)
    assert.equal(status, 403)
    assert.match(String(logFields?.reason), reason)
    assert.match(String(body), answer)
    const logged = JSON.stringify(logFields)
    for (const secret of [settings.secretKey, 'pasted', 'X-Amz-Credential', 'Signature=']) {
      assert.equal(logged.includes(secret), false, logged)
    }
    assert.equal(logFields?.anonymous, title === 'no signature' ? true : undefined)
  })
}

test('The reason for a refused signature shortens the host and mentions PUBLIC_URL', async () => {
  const host = `${'h'.repeat(5_000)}.example`
  const request = sign({ ...key, headers: { ...key.headers, Host: host }, signed: { path: '/x' } })
  const { logFields } = await handlerAt(nowMs, 'https://s3.example.org')(request)
  assert.match(String(logFields?.reason), /host of PUBLIC_URL did not match/)
  assert.ok(String(logFields?.reason).length < 500)
})
