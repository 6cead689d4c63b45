import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { OwnerKey } from '../../../../../src/storage/access/access-keys.ts'
import { owner } from '../../../../../src/storage/access/authorize.ts'
import { decodeKey, parseAddress } from '../../../../../src/storage/s3/address/address.ts'
import { parseQuery } from '../../../../../src/storage/s3/address/query.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { authenticate } from '../../../../../src/storage/s3/sigv4/authenticate.ts'
import {
  presignVersionTwo,
  signVersionTwo,
  type VersionTwoRequest,
} from '../../../../support/version-two.ts'
import { type FakeRequest, fakeRequest } from '../fake-request.ts'
import { nowMs, settings } from './signed-request.ts'

const recorded = JSON.parse(
  readFileSync(new URL('../../../../vectors/recorded-version-two.json', import.meta.url), 'utf8'),
)
const exampleKeys = new OwnerKey(recorded)
const both = { ...settings, versionTwo: true }
const expires = nowMs / 1_000 + 60
const credentials = { ...settings, region: 'us-east-1' }
const accepts = (sent: FakeRequest, at = nowMs) => authenticate(fakeRequest(sent), both, at)
const refuses = (sent: FakeRequest, message: RegExp, at = nowMs) =>
  assert.throws(
    () => accepts(sent, at),
    (error) => error instanceof S3Error && message.test(error.message),
  )

const get = { method: 'GET', path: '/bucket/a%20b', expires } as const
const target = presignVersionTwo(get, credentials)

/** The examples of https://docs.aws.amazon.com/AmazonS3/latest/userguide/RESTAuthentication.html. */
const bucketHost = 'awsexamplebucket1'
const awsExamples: readonly (readonly [string, string, FakeRequest, hostBucket?: string])[] = [
  [
    'Object GET',
    'qgk2+6Sv9/oM7G3qLEjTH1a1l1g=',
    { target: '/photos/puppy.jpg', headers: { Date: 'Tue, 27 Mar 2007 19:36:42 +0000' } },
    bucketHost,
  ],
  [
    'Object PUT',
    'iqRzw+ileNPu1fhspnRs8nOjjIA=',
    {
      ...{ method: 'PUT', target: '/photos/puppy.jpg' },
      headers: { 'Content-Type': 'image/jpeg', Date: 'Tue, 27 Mar 2007 21:15:45 +0000' },
    },
    bucketHost,
  ],
  [
    'List',
    'm0WP8eCtspQl5Ahe6L1SozdX9YA=',
    {
      target: '/?prefix=photos&max-keys=50&marker=puppy',
      headers: { Date: 'Tue, 27 Mar 2007 19:42:41 +0000' },
    },
    bucketHost,
  ],
  [
    'Fetch',
    '82ZHiFIjc+WbcwFKGUVEQspPn+0=',
    { target: '/?acl', headers: { Date: 'Tue, 27 Mar 2007 19:44:46 +0000' } },
    bucketHost,
  ],
  [
    'Upload',
    'jtBQa0Aq+DkULFI8qrpwIjGEx0E=',
    {
      ...{ method: 'PUT', target: '/db-backup.dat.gz' },
      headers: {
        ...{ Date: 'Tue, 27 Mar 2007 21:06:08 +0000', 'x-amz-acl': 'public-read' },
        ...{ 'content-type': 'application/x-download', 'Content-MD5': '4gJE4saaMU4BqNR0kLY+lw==' },
        'X-Amz-Meta-ReviewedBy': ['joe@example.com', 'jane@example.com'],
        ...{ 'X-Amz-Meta-FileChecksum': '0x02661779', 'X-Amz-Meta-ChecksumAlgorithm': 'crc32' },
      },
    },
    'static.example.com',
  ],
  [
    'List all my buckets',
    'qGdzdERIC03wnaRNKh6OqZehG9s=',
    { target: '/', headers: { Date: 'Wed, 28 Mar 2007 01:29:59 +0000' } },
  ],
  [
    'Unicode keys',
    'DNEZGsoieTZ92F3bUfSPQcbGmlM=',
    {
      target: '/dictionary/fran%C3%A7ais/pr%c3%a9f%c3%a8re',
      headers: { Date: 'Wed, 28 Mar 2007 01:49:49 +0000' },
    },
  ],
]

for (const [name, signature, example, hostBucket] of awsExamples) {
  test(`AWS's example "${name}" has the signature of its page`, () => {
    const date = String(example.headers?.Date)
    const authenticated = (sent: FakeRequest, atMs = Date.parse(date)) =>
      authenticate(fakeRequest(sent), { ...both, keys: exampleKeys, hostBucket }, atMs)
    const headers = {
      ...example.headers,
      Authorization: `AWS ${recorded.accessKey}:${signature}`,
    }
    assert.equal(authenticated({ ...example, headers }).form, 'version-two')
    assert.throws(() => authenticated({ ...example, headers, method: 'DELETE' }), /does not match/)
    assert.throws(
      () => authenticated({ ...example, headers: { ...headers, 'x-amz-acl': 'x' } }),
      /does not match/,
    )
    const late = Date.parse(date) + 15 * 60_000 + 1
    assert.throws(
      () => authenticated({ ...example, headers }, late),
      (error) => error instanceof S3Error && error.code === 'RequestTimeTooSkewed',
    )
  })
}

for (const { client, recordedAt, ...sent } of recorded.requests) {
  test(`${client}: ${sent.method} ${sent.target.slice(0, 60)} is accepted`, () => {
    const authenticated = (target: string) =>
      authenticate(
        fakeRequest({ ...sent, target }),
        { ...both, keys: exampleKeys },
        Date.parse(recordedAt),
      )
    assert.equal(authenticated(sent.target).form, 'version-two')
    const other = sent.target.replace('/bucket', '/other')
    assert.throws(() => authenticated(other), /does not match/)
  })
}

const inHeader = (request: VersionTwoRequest, headers: Readonly<Record<string, string>> = {}) => ({
  ...{ method: request.method, target: request.path },
  headers: {
    ...headers,
    authorization: `AWS ${settings.accessKey}:${signVersionTwo(request, settings.secretKey)}`,
  },
})

test('a header needs one date, which is signed', () => {
  const date = new Date(nowMs).toUTCString()
  const plain = { method: 'GET', path: '/bucket/k' }
  accepts(inHeader({ ...plain, expires: date }, { date }))
  // aws-sdk-js 2 sends only x-amz-date, which is signed as a header; the line of the date is empty.
  const amzHeaders = [['x-amz-date', date] as const]
  accepts(inHeader({ ...plain, expires: '', amzHeaders }, { 'x-amz-date': date }))
  accepts(inHeader({ ...plain, expires: '', amzHeaders }, { 'x-amz-date': date, date: 'never' }))
  const missing = /A valid Date or x-amz-date header is required/
  refuses(inHeader({ ...plain, expires: '' }), missing)
  for (const no of ['', 'yesterday', String(expires), 'Fri, 07 Jul 1950 21:53:04 GMT']) {
    refuses(inHeader({ ...plain, expires: no }, { date: no }), missing)
    const other = [['x-amz-date', no] as const]
    refuses(inHeader({ ...plain, expires: '', amzHeaders: other }, { 'x-amz-date': no }), missing)
  }
  const both = inHeader({ ...plain, expires: date }, { date, 'x-amz-date': date })
  refuses(both, /does not match/)
})

test('a malformed header is InvalidArgument on AWS', () => {
  for (const authorization of ['AWS ', 'AWS HAHAHA', 'AWS :x', 'AWS key:']) {
    assert.throws(
      () => accepts({ target: '/bucket/k', headers: { authorization } }),
      (error) => error instanceof S3Error && error.inAws().code === 'InvalidArgument',
    )
  }
})

test('the signature of a URL is not one of a header, nor one of a header that of a URL', () => {
  const url = { method: 'GET', path: '/bucket/k', expires }
  refuses(inHeader(url, { date: String(expires) }), /A valid Date/)
  const date = new Date(nowMs).toUTCString()
  const signature = signVersionTwo({ ...url, expires: date }, settings.secretKey)
  const query = `AWSAccessKeyId=${settings.accessKey}&Signature=${encodeURIComponent(signature)}`
  refuses({ target: `/bucket/k?${query}&Expires=${encodeURIComponent(date)}` }, /needs AWSAcc/)
})

test('a presigned URL is accepted until it expires, whatever its host', () => {
  for (const Host of ['localhost:9000', 'other.example']) {
    const sent = { method: 'GET', target, headers: { Host } }
    assert.deepEqual(accepts(sent), { form: 'version-two', identity: owner })
    assert.equal(accepts(sent, nowMs + 60_000).form, 'version-two')
    refuses(sent, /^Request has expired$/, nowMs + 60_001)
  }
})

test('it is refused unless it is asked for', () => {
  assert.throws(
    () => authenticate(fakeRequest({ target }), settings, nowMs),
    /Set the client to Signature Version 4/,
  )
})

test('it does what it was signed for and nothing else', () => {
  const changed: readonly (readonly [FakeRequest, RegExp])[] = [
    [{ method: 'HEAD', target }, /does not match/],
    [{ method: 'PUT', target }, /does not match/],
    [{ method: 'DELETE', target }, /does not match/],
    [{ method: 'POST', target }, /does not match/],
    [{ target: target.replace('a%20b', 'c') }, /does not match/],
    [{ target: target.replace('/a%20b', '') }, /does not match/],
    [{ target: `${target}&acl` }, /does not match/],
    [{ target: `${target}&acl=x` }, /does not match/],
    [{ target: `${target}&attributes` }, /does not sign the parameter "attributes"/],
    [{ target: `${target}&events=x` }, /does not sign/],
    [{ target: `${target}&uploadId=x` }, /does not match/],
    [{ target: `${target}&upload%49d=x` }, /does not sign/],
    [{ target: `${target}&UploadId=x` }, /does not sign/],
    [{ target: `${target}&x-amz-acl=private` }, /does not match/],
    [{ target: `${target}&X-Amz-Signature=x` }, /does not match/],
    [{ target: `${target}&x-amz-%61cl=private` }, /does not match/],
    [{ target: `${target}&Signature=x` }, /more than once/],
    [{ target: `${target}&signature=x` }, /does not sign/],
    [{ target: `${target}&` }, /does not sign/],
    [{ target: target.replace('Expires=', 'Expires=0') }, /does not match/],
    [{ target: target.replace(/Expires=\d+/, `Expires=${expires + 1}`) }, /does not match/],
    [{ target: target.replace('Expires=', 'Expires=%31') }, /needs AWSAccessKeyId/],
    [{ target: target.replace(/Expires=\d+/, 'Expires=1e12') }, /needs AWSAccessKeyId/],
    [{ target: target.replace(/&Expires=\d+/, '') }, /needs AWSAccessKeyId/],
    [{ target: target.replace(/AWSAccessKeyId=[^&]*/, 'AWSAccessKeyId=other') }, /does not match/],
    [{ target, headers: { 'x-amz-copy-source': '/bucket/secret' } }, /does not match/],
    [{ target, headers: { 'content-type': 'text/html' } }, /does not match/],
    [{ target, headers: { 'content-md5': 'x' } }, /does not match/],
    [{ target, headers: { authorization: 'AWS a:b' } }, /Only one form/],
  ]
  for (const [sent, message] of changed) refuses({ method: 'GET', ...sent }, message)
})

test('signed headers count, and boto3 may repeat them as parameters', () => {
  const put = {
    ...{ method: 'PUT', path: '/bucket/k', expires },
    ...{ contentType: 'text/plain', amzHeaders: [['x-amz-meta-a', 'b'] as const] },
  }
  const signed = presignVersionTwo(put, credentials)
  const headers = { 'content-type': 'text/plain', 'x-amz-meta-a': 'b' }
  const repeated = `${signed}&content-type=text%2Fplain&x-amz-meta-a=b`
  const capital = repeated.replace('content-type', 'Content-Type')
  for (const one of [signed, repeated, capital, `${capital}&Cache-Control=no-cache`]) {
    assert.equal(accepts({ method: 'PUT', target: one, headers }).form, 'version-two')
  }
  refuses({ method: 'PUT', target: repeated }, /does not match/)
  refuses({ method: 'PUT', target: signed }, /does not match/)
  const other = { ...headers, 'x-amz-meta-a': 'c' }
  refuses({ method: 'PUT', target: repeated, headers: other }, /does not match/)
  // aws-sdk-js 2 signs what only the URL has.
  const { 'content-type': type } = headers
  accepts({ method: 'PUT', target: repeated, headers: { 'content-type': type } })
  const twice = `${repeated}&X-Amz-Meta-A=b`
  refuses({ method: 'PUT', target: twice, headers: { 'content-type': type } }, /does not match/)
})

test('white space within a signed value counts, as botocore signs it', () => {
  const amzHeaders = [['x-amz-meta-a', 'b  c']] as const
  const put = { ...{ method: 'PUT', path: '/bucket/k', expires }, amzHeaders }
  const target = presignVersionTwo(put, credentials)
  for (const value of ['b  c', ' b  c ']) {
    accepts({ method: 'PUT', target, headers: { 'x-amz-meta-a': value } })
  }
  const one = { 'x-amz-meta-a': 'b c' }
  refuses({ method: 'PUT', target, headers: one }, /does not match/)
})

test('two parameters cannot be sent as one, nor overrides with what is not a read', () => {
  const parameters = [
    ['response-content-disposition', 'a'],
    ['response-content-type', 'text/html'],
  ] as const
  const signed = presignVersionTwo({ ...get, parameters }, credentials)
  assert.equal(accepts({ method: 'GET', target: signed }).form, 'version-two')
  const joined = signed.replace('a&response-content-type=', 'a%26response-content-type%3D')
  refuses({ method: 'GET', target: joined }, /contains a parameter/)
  const put = presignVersionTwo({ ...get, method: 'PUT', parameters }, credentials)
  refuses({ method: 'PUT', target: put }, /belongs to a GET or HEAD/)
})

const piece = fc.constantFrom(
  'a',
  '/',
  '%2F',
  '%41',
  '%',
  '+',
  '&',
  '=',
  '?',
  ' ',
  'é',
  "'",
  '%26',
  'uploadId',
)
const text = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(''))
const names = [
  ...['uploadId', 'partNumber', 'response-content-type', 'response-expires'],
  ...['acl', 'uploads', 'versionId', 'x-amz-acl'],
]
const parameter = fc.constantFrom(...names)
const isField = ([name]: readonly [string, string]) => name.startsWith('x-amz-')
const escapes = fc.constantFrom(encodeURIComponent, (value: string) =>
  encodeURIComponent(value).replace(/%20/g, '+').replace(/%41/g, 'A'),
)
const request = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'PUT', 'DELETE'),
  key: text,
  query: fc.uniqueArray(fc.tuple(parameter, fc.oneof(text, fc.constant(''))), {
    selector: ([name]) => name,
    maxLength: 2,
  }),
})

/** What the service does for a target. */
function meaningOf(method: string, sent: string) {
  const [path = '', query = ''] = sent.split('?')
  const address = parseAddress(path)
  const all = parseQuery(query)
  return {
    method,
    bucket: address.level === 'service' ? '' : address.bucket,
    key: address.level === 'object' ? decodeKey(address.rawKey) : '',
    // Space around a header has no effect.
    query: names.map((name) => (isField([name, '']) ? all.get(name)?.trim() : all.get(name))),
  }
}

test('no other request is accepted with the signature of one', () => {
  let accepted = 0
  const pathOf = (key: string) => `/bucket/${key.split('/').map(encodeURIComponent).join('/')}`
  const property = fc.property(
    request,
    request,
    escapes,
    fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
    (signed, other, escaped, order) => {
      const parameters = signed.query.toSorted(([a], [b]) => (a < b ? -1 : 1))
      const claim: VersionTwoRequest = {
        method: signed.method,
        path: pathOf(signed.key),
        parameters: parameters.filter((pair) => !isField(pair)),
        amzHeaders: parameters.filter(isField),
        expires,
      }
      const signature = signVersionTwo(claim, settings.secretKey)
      for (const attempt of [
        signed,
        other,
        { ...other, key: signed.key },
        { ...signed, key: other.key },
      ]) {
        const pairs = [
          ...attempt.query.map(([name, value]) => `${name}=${escaped(value)}`),
          `AWSAccessKeyId=${settings.accessKey}`,
          `Expires=${expires}`,
          `Signature=${encodeURIComponent(signature)}`,
        ]
        const moved = order.flatMap((index) => pairs[index] ?? [])
        const sent = `${pathOf(attempt.key)}?${moved.join('&')}`
        try {
          accepts({ method: attempt.method, target: sent })
        } catch (error) {
          if (error instanceof S3Error) continue
          throw error
        }
        accepted += 1
        const original = `${claim.path}?${parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
        assert.deepEqual(meaningOf(attempt.method, sent), meaningOf(claim.method, original))
      }
    },
  )
  fc.assert(property, { numRuns: 3_000 })
  assert.ok(accepted > 500, `${accepted}`)
})
