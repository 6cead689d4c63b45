import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { HttpRequest } from '../../../../../src/platform/http/message.ts'
import { OwnerKey } from '../../../../../src/storage/access/access-keys.ts'
import { authenticate } from '../../../../../src/storage/s3/sigv4/authenticate.ts'
import { presign } from '../../../../../src/storage/s3/sigv4/presign.ts'
import type { SignatureMismatch } from '../../../../../src/storage/s3/sigv4/signature-mismatch.ts'
import { fakeRequest } from '../fake-request.ts'
import {
  assertRefused,
  minuteMs,
  nowMs,
  plain,
  refusal,
  settings,
  sign,
  signedHeader,
  signedPresigned,
  vectors,
} from './signed-request.ts'

describe("AWS's published examples", () => {
  for (const vector of vectors.requests) {
    test(`${vector.name}: only this signature is accepted`, () => {
      const authorization = (signature: string) =>
        `AWS4-HMAC-SHA256 Credential=${vectors.accessKey}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${vector.signedHeaders},Signature=${signature}`
      const request = (signature: string) =>
        fakeRequest({
          ...vector,
          headers: { ...vector.headers, Authorization: authorization(signature) },
        })
      assert.deepEqual(authenticate(request(vector.signature), settings, nowMs), signedHeader)
      const wrong = `0${vector.signature.slice(1)}`
      assertRefused(request(wrong === vector.signature ? `1${wrong.slice(1)}` : wrong), /match/)
    })
  }

  test('a presigned GET: the signature is computed and accepted', () => {
    const url = presign({ ...vectors.presigned, ...settings, nowMs })
    assert.ok(url.endsWith(`&X-Amz-Signature=${vectors.presigned.signature}`))
    const { host, pathname, search } = new URL(url)
    const request = fakeRequest({ target: pathname + search, headers: { host } })
    assert.deepEqual(authenticate(request, settings, nowMs), signedPresigned)
  })
})

describe('authenticate, header form', () => {
  test('accepts a request signed by curl 7.88 without x-amz-content-sha256', () => {
    const at = Date.UTC(2026, 10, 21, 19, 32, 53)
    const keys = new OwnerKey({ accessKey: 'AK', secretKey: 'SK' })
    const curl = { ...settings, keys }
    const request = fakeRequest({
      target: '/b/k?list-type=2',
      headers: {
        Host: '127.0.0.1:41617',
        Authorization:
          'AWS4-HMAC-SHA256 Credential=AK/20261121/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=0fb29e9488cd98ba1e912f56f046036a2bb5e76b06efcaca98b57f8c59feb14a',
        'X-Amz-Date': '20261121T193253Z',
        'User-Agent': 'curl/7.88.1',
      },
    })
    assert.deepEqual(authenticate(request, curl, at), signedHeader)
  })

  test('verifies the bytes of the path and query as received', () => {
    for (const target of [
      '/bucket/a/../b',
      '/bucket//a//',
      '/bucket/a%2Fb',
      '/bucket/a%2fb',
      '/bucket/a+b',
      '/bucket/%C3%A9',
      '/bucket/\u00c3\u00a9',
      '/bucket/?prefix=a%20b&delimiter=/&b&a=2&a=1&a=',
    ]) {
      assert.deepEqual(authenticate(sign({ ...plain, target }), settings, nowMs), signedHeader)
    }
  })

  test('accepts a path and query that are signed encoded and sent raw', () => {
    const request = sign({
      ...plain,
      target: "/bucket/a'(1)\u00c3\u00a9?prefix=a+b/c",
      signed: { path: '/bucket/a%27%281%29%C3%A9', query: 'prefix=a%20b%2Fc' },
    })
    assert.deepEqual(authenticate(request, settings, nowMs), signedHeader)
  })

  test('trims header values, collapses runs of spaces and joins repeats with a comma', () => {
    const base = sign({
      ...plain,
      headers: { ...plain.headers, 'x-amz-meta-a': 'one two', 'x-amz-meta-b': '1,2' },
    })
    const { authorization = '' } = base.headers
    const request = fakeRequest({
      target: '/bucket/key',
      headers: {
        ...plain.headers,
        'X-Amz-Meta-A': '  one   two ',
        'X-Amz-Meta-B': ['1', ' 2'],
        Authorization: authorization,
      },
    })
    assert.deepEqual(authenticate(request, settings, nowMs), signedHeader)
  })

  describe('a header signed as one value and sent in two lines', () => {
    const sent = (name: string, value: string, lines: string | string[]) => {
      const { authorization = '' } = sign({
        ...plain,
        headers: { ...plain.headers, [name]: value },
      }).headers
      const headers = { ...plain.headers, [name]: lines, Authorization: authorization }
      return fakeRequest({ target: '/bucket/key', headers })
    }

    for (const name of [
      'x-amz-copy-source',
      'x-amz-tagging',
      'x-amz-acl',
      'x-amz-checksum-crc32',
      // Not the names of lists, nor beginnings of them.
      'x-amz-object-attribute',
      'x-amz-object-attributes-x',
    ]) {
      test(`is refused as ${name}`, () => {
        for (const [first, second] of [
          ['/bucket/a', 'b'],
          ['/bucket/a', ''],
        ] as const) {
          const one = `${first},${second}`
          assert.deepEqual(authenticate(sent(name, one, one), settings, nowMs), signedHeader)
          assertRefused(sent(name, one, [first, second]), new RegExp(`${name} must be sent once`))
        }
      })
    }

    for (const name of ['x-amz-object-attributes', 'x-amz-optional-object-attributes']) {
      test(`is the list ${name}`, () => {
        const request = sent(name, 'ETag,Checksum,ObjectSize', ['ETag', ' Checksum', 'ObjectSize'])
        assert.deepEqual(authenticate(request, settings, nowMs), signedHeader)
        const missing = sent(name, 'ETag,Checksum', ['ETag', 'Checksum', 'ObjectSize'])
        assertRefused(missing, /signature/)
      })
    }
  })

  test('accepts the host of PUBLIC_URL in another case and with its default port', () => {
    const proxied = { ...settings, publicUrl: 'https://s3.example.com' }
    const { authorization = '' } = sign({
      ...plain,
      headers: { ...plain.headers, Host: 's3.example.com' },
    }).headers
    for (const Host of [
      's3.example.com',
      'S3.Example.com',
      's3.example.com:443',
      '10.0.0.1:9000',
    ]) {
      const headers = { ...plain.headers, Host, Authorization: authorization }
      const request = fakeRequest({ target: '/bucket/key', headers })
      assert.deepEqual(authenticate(request, proxied, nowMs), signedHeader, Host)
    }
  })

  test("accepts the public URL's host as well as the one received, never X-Forwarded-Host", () => {
    const proxied = { ...settings, publicUrl: 'https://s3.example.com:8443' }
    const request = sign({
      ...plain,
      headers: { ...plain.headers, 'accept-encoding': 'gzip' },
      signed: { headers: { Host: 's3.example.com:8443' } },
    })
    assert.deepEqual(authenticate(request, proxied, nowMs), signedHeader)
    assert.deepEqual(authenticate(sign(plain), proxied, nowMs), signedHeader)
    assertRefused(request, /does not match/)
    const forwarded = { ...plain.headers, 'x-forwarded-host': 'elsewhere' }
    const claimed = sign({
      ...plain,
      headers: forwarded,
      signed: { headers: { Host: 'elsewhere' } },
    })
    assertRefused(claimed, /does not match/)
  })

  test('refuses a request if anything signed was changed', () => {
    const signed = sign({ ...plain, headers: { ...plain.headers, range: 'bytes=0-1' } })
    const withOther = (before: string, value: string) => ({
      headers: Object.fromEntries(
        Object.entries(signed.headers).map(([name, sent]) => [
          name,
          sent === before ? value : sent,
        ]),
      ),
      rawHeaders: signed.rawHeaders.map((sent) => (sent === before ? value : sent)),
    })
    const changes: Partial<HttpRequest>[] = [
      { method: 'PUT' },
      { rawPath: '/bucket/other' },
      { rawQuery: 'acl' },
      withOther('bytes=0-1', 'bytes=0-2'),
      withOther('localhost:9000', 'evil'),
    ]
    assert.deepEqual(authenticate(signed, settings, nowMs), signedHeader)
    for (const change of changes) assertRefused({ ...signed, ...change }, /does not match/)
  })

  test('refuses a wrong secret, key or scope, with the expected value in the message', () => {
    assertRefused(sign({ ...plain, signed: { secretKey: 'other' } }), /does not match/)
    assertRefused(sign({ ...plain, signed: { region: 'eu-west-1' } }), /expected "us-east-1"/)
    const { headers } = sign(plain)
    const wrong: [string, string, RegExp][] = [
      ['AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLX', /access key ID/],
      ['AKIAIOSFODNN7EXAMPLE', 'AKIA', /access key ID/],
      ['/20130524/', '/20130525/', /day of the credential/],
      ['/s3/', '/sts/', /expected "ACCESS_KEY/],
      ['aws4_request', 'aws4', /expected "ACCESS_KEY/],
      ['/us-east-1/s3/aws4_request', '', /expected "ACCESS_KEY/],
      ['SignedHeaders=host;', 'SignedHeaders=', /not signed: host/],
      ['Signature=', 'Signature=0', /does not match/],
      [', Signature=', ', Signature=a, Signature=', /malformed/],
      [', SignedHeaders=', ', Other=', /malformed/],
      ['AWS4-HMAC-SHA256 ', 'AWS4-ECDSA-P256-SHA256 ', /malformed/],
      ['AWS4-HMAC-SHA256 ', 'Basic ', /malformed/],
      ['AWS4-HMAC-SHA256 ', 'AWS ', /Set the client to Signature Version 4/],
    ]
    for (const [from, to, message] of wrong) {
      const authorization = String(headers.authorization).replace(from, to)
      assert.notEqual(authorization, headers.authorization)
      const { Authorization: _, ...rest } = plain.headers
      assertRefused(fakeRequest({ ...plain, headers: { ...rest, authorization } }), message)
    }
  })

  test('refuses a credential that was accepted before, for another day or by another region', () => {
    const accepted = sign(plain)
    assert.deepEqual(authenticate(accepted, settings, nowMs), signedHeader)
    const later = { ...accepted.headers, 'x-amz-date': '20130525T000000Z' }
    const dayMs = 24 * 60 * minuteMs
    assertRefused({ ...accepted, headers: later }, /day of the credential/, nowMs + dayMs)
    const elsewhere = { ...settings, region: 'eu-west-1' }
    const { message } = refusal(() => authenticate(accepted, elsewhere, nowMs))
    assert.match(message, /expected "eu-west-1"/)
  })

  test('names its own region in an element when it refuses another one', () => {
    const request = sign({ ...plain, signed: { region: 'eu-west-1' } })
    const error = refusal(() => authenticate(request, settings, nowMs))
    assert.deepEqual(error.elements, { Region: 'us-east-1' })
  })

  test('requires a signature over every x-amz-* header that affects the request', () => {
    const names = ['host', 'x-amz-date']
    const copying = sign({
      ...plain,
      headers: { ...plain.headers, 'x-amz-copy-source': '/bucket/secret' },
      signed: { names },
    })
    assertRefused(copying, /not signed: x-amz-copy-source/)
    const harmless = sign({
      ...plain,
      headers: {
        ...plain.headers,
        'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
        'x-amz-checksum-crc32': 'AAAAAA==',
        'x-amz-cf-id': '1',
      },
      signed: { names },
    })
    assert.deepEqual(authenticate(harmless, settings, nowMs), signedHeader)
  })
})

describe('authenticate, mismatch details', () => {
  test('reports the canonical request without tokens and customer keys', () => {
    const seen: SignatureMismatch[] = []
    const onMismatch = (details: SignatureMismatch) => seen.push(details)
    const inHeaders = sign({
      ...plain,
      headers: {
        ...plain.headers,
        'x-amz-security-token': 'tok1',
        'x-amz-server-side-encryption-customer-key': 'tok2',
      },
      signed: { secretKey: 'wrong' },
    })
    const url = new URL(
      presign({
        ...{ ...vectors.presigned, ...settings, secretKey: 'wrong', nowMs },
        query: {
          'X-Amz-Security-Token': 'tok3',
          'x-amz-server-side-encryption-customer-key': 'tok4',
        },
      }),
    )
    const inQuery = fakeRequest({ target: url.pathname + url.search, headers: { host: url.host } })
    for (const request of [inHeaders, inQuery]) {
      refusal(() => authenticate(request, settings, nowMs, onMismatch))
    }
    assert.equal(seen.length, 2)
    assert.match(seen[0]?.canonicalRequest ?? '', /^GET\n\/bucket\/key\n/)
    assert.match(seen[0]?.stringToSign ?? '', /^AWS4-HMAC-SHA256\n20130524T000000Z\n/)
    assert.match(seen[1]?.canonicalRequest ?? '', /X-Amz-Security-Token=\[redacted\]/)
    assert.doesNotMatch(JSON.stringify(seen), /tok\d|wJalr/)
  })

  test('reports nothing for a matching signature', () => {
    authenticate(sign(plain), settings, nowMs, () => assert.fail())
  })
})
