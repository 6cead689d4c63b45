import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { owner } from '../../../../src/access/identity.ts'
import { decodeKey, parseAddress } from '../../../../src/s3/address/address.ts'
import { parseQuery } from '../../../../src/s3/address/query.ts'
import { S3Error } from '../../../../src/s3/errors.ts'
import { authenticate } from '../../../../src/s3/sigv4/authenticate.ts'
import {
  presignVersionTwo,
  signVersionTwo,
  type VersionTwoRequest,
} from '../../../support/version-two.ts'
import { type FakeRequest, fakeRequest } from '../fake-request.ts'
import { nowMs, settings } from './signed-request.ts'

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

test("AWS's example has the signature of its page", () => {
  const example = {
    method: 'GET',
    path: '/johnsmith/photos/puppy.jpg',
    expires: 1175139620,
  }
  const secretKey = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
  assert.equal(signVersionTwo(example, secretKey), 'NpgCjnDzrM+WFzoENXmpNDUsSn8=')
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
    /Use Signature Version 4/,
  )
})

test('it does what it was signed for and nothing else', () => {
  const changed: readonly (readonly [FakeRequest, RegExp])[] = [
    [{ method: 'HEAD', target }, /does not match/],
    [{ method: 'PUT', target }, /does not match/],
    [{ method: 'DELETE', target }, /can only GET, HEAD or PUT/],
    [{ method: 'POST', target }, /can only GET, HEAD or PUT/],
    [{ target: target.replace('a%20b', 'c') }, /does not match/],
    [{ target: target.replace('/a%20b', '') }, /can only GET, HEAD or PUT an object/],
    [{ target: `${target}&acl` }, /has no value/],
    [{ target: `${target}&acl=x` }, /does not sign the parameter "acl"/],
    [{ target: `${target}&list-type=2` }, /does not sign/],
    [{ target: `${target}&uploadId=x` }, /does not match/],
    [{ target: `${target}&upload%49d=x` }, /does not sign/],
    [{ target: `${target}&UploadId=x` }, /does not sign/],
    [{ target: `${target}&x-amz-acl=private` }, /does not sign/],
    [{ target: `${target}&X-Amz-Signature=x` }, /does not sign/],
    [{ target: `${target}&Signature=x` }, /more than once/],
    [{ target: `${target}&signature=x` }, /does not sign/],
    [{ target: `${target}&` }, /has no value/],
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
  for (const one of [signed, repeated]) {
    assert.equal(accepts({ method: 'PUT', target: one, headers }).form, 'version-two')
  }
  refuses({ method: 'PUT', target: repeated }, /does not sign the parameter "content-type"/)
  refuses({ method: 'PUT', target: signed }, /does not match/)
  const other = { ...headers, 'x-amz-meta-a': 'c' }
  refuses({ method: 'PUT', target: repeated, headers: other }, /does not sign .*x-amz-meta-a/)
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
const parameter = fc.constantFrom(
  'uploadId',
  'partNumber',
  'response-content-type',
  'response-expires',
)
const escapes = fc.constantFrom(encodeURIComponent, (value: string) =>
  encodeURIComponent(value).replace(/%20/g, '+').replace(/%41/g, 'A'),
)
const request = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'PUT'),
  key: text,
  query: fc.uniqueArray(fc.tuple(parameter, text), { selector: ([name]) => name, maxLength: 2 }),
})

/** What the service does for a target. */
function meaningOf(method: string, sent: string) {
  const [path = '', query = ''] = sent.split('?')
  const address = parseAddress(path)
  const names = ['uploadId', 'partNumber', 'response-content-type', 'response-expires']
  const all = parseQuery(query)
  return {
    method,
    bucket: address.level === 'service' ? '' : address.bucket,
    key: address.level === 'object' ? decodeKey(address.rawKey) : '',
    query: names.map((name) => all.get(name)),
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
        parameters,
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
