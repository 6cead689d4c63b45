import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GatewayInProcess, startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { testBucket, testCredentials } from '../../support/gateway-process.ts'
import { testInBothModes } from '../../support/in-both-modes.ts'
import { beginUpload } from '../../support/open-upload.ts'
import { presignTarget, signHeaders } from '../../support/signed-request.ts'
import { exchange, type WireCase } from '../../support/wire-case.ts'

const target = `/${testBucket}/k`
const unsigned = { method: 'GET', target, isUnsigned: true }

/** What both modes refuse, with the code and elements of AWS. */
const refused: readonly (Pick<WireCase, 'title' | 'error'> &
  Parameters<typeof exchange>[1] & {
    readonly byDefault: readonly [status: number, code: string]
    readonly aws: readonly [status: number, code: string]
  })[] = [
  {
    title: 'A bucket that is not served',
    ...{ method: 'GET', target: '/other-bucket' },
    ...{ byDefault: [403, 'AccessDenied'], aws: [404, 'NoSuchBucket'] },
    error: { BucketName: 'other-bucket' },
  },
  {
    title: 'A bucket that is not served, without a signature',
    ...{ method: 'GET', target: '/other-bucket', isUnsigned: true },
    ...{ byDefault: [403, 'AccessDenied'], aws: [404, 'NoSuchBucket'] },
    error: { BucketName: 'other-bucket' },
  },
  {
    title: 'The source of a copy in a bucket that is not served',
    ...{ method: 'PUT', target, headers: { 'x-amz-copy-source': '/other-bucket/k' } },
    ...{ byDefault: [403, 'AccessDenied'], aws: [404, 'NoSuchBucket'] },
  },
  {
    title: 'An Authorization header without a signature',
    ...{ ...unsigned, headers: { authorization: 'AWS4-HMAC-SHA256 Credential=a/b' } },
    ...{ byDefault: [403, 'AccessDenied'], aws: [400, 'AuthorizationHeaderMalformed'] },
  },
  {
    title: 'Another kind of authorization',
    ...{ ...unsigned, headers: { authorization: 'Bearer secret' } },
    ...{ byDefault: [403, 'AccessDenied'], aws: [400, 'InvalidArgument'] },
    error: { ArgumentName: 'Authorization', ArgumentValue: '[redacted]' },
  },
  {
    title: 'An empty Authorization header',
    ...{ ...unsigned, headers: { authorization: '' } },
    ...{ byDefault: [403, 'AccessDenied'], aws: [403, 'AccessDenied'] },
  },
  {
    title: 'A presigned URL that has lost parameters',
    ...{ ...unsigned, target: `${target}?X-Amz-Algorithm=AWS4-HMAC-SHA256` },
    ...{ byDefault: [403, 'AccessDenied'], aws: [400, 'AuthorizationQueryParametersError'] },
  },
  {
    title: 'A Complete that is not XML',
    ...{ method: 'POST', target: `${target}?uploadId=OPEN`, body: 'not XML' },
    ...{ byDefault: [400, 'InvalidArgument'], aws: [400, 'MalformedXML'] },
  },
  {
    title: 'A Complete without parts',
    ...{ method: 'POST', target: `${target}?uploadId=OPEN`, body: '<CompleteMultipartUpload/>' },
    ...{ byDefault: [400, 'InvalidArgument'], aws: [400, 'MalformedXML'] },
  },
  {
    title: 'A checksum that has not the form of one',
    ...{ method: 'PUT', target, headers: { 'x-amz-checksum-sha256': 'bad' } },
    ...{ byDefault: [400, 'InvalidDigest'], aws: [400, 'InvalidRequest'] },
  },
  {
    title: 'A sub-resource that is not implemented',
    ...{ method: 'PUT', target: `/${testBucket}?website` },
    ...{ byDefault: [501, 'NotImplemented'], aws: [501, 'NotImplemented'] },
  },
  {
    title: 'A write of a sub-resource that S3 only reads',
    ...{ method: 'PUT', target: `/${testBucket}?policyStatus` },
    ...{ byDefault: [501, 'NotImplemented'], aws: [405, 'MethodNotAllowed'] },
  },
  {
    title: 'A header that is not implemented',
    ...{ method: 'PUT', target, headers: { 'x-amz-website-redirect-location': '/' } },
    ...{ byDefault: [501, 'NotImplemented'], aws: [501, 'NotImplemented'] },
    error: { Header: 'x-amz-website-redirect-location' },
  },
]

const casesOf = (mode: 'contract' | 'aws') => async (gateway: GatewayInProcess) => {
  const uploadId = await beginUpload(gateway, target)
  return refused.map(({ byDefault, aws, error, ...request }) => {
    const [status, code] = mode === 'aws' ? aws : byDefault
    const path = request.target.replace('OPEN', uploadId)
    const elements = mode === 'aws' && error !== undefined && { error }
    return { ...request, target: path, status, code, ...elements }
  })
}

testInBothModes({ contract: casesOf('contract'), aws: casesOf('aws') })

async function startInAws(t: Parameters<typeof startGatewayInProcess>[0]) {
  const gateway = await startGatewayInProcess(t, { COMPATIBILITY: 'aws' })
  const errorOf = async (sent: Parameters<typeof exchange>[1], credentials = testCredentials) => {
    const { status, xml, text } = await exchange({ ...gateway, credentials }, sent)
    assert.ok(xml.Error, text)
    const error = xml.Error as Readonly<Record<string, string>>
    const plain = Object.entries(error).map(([name, value]) => [
      name,
      value.replaceAll('&#xA;', '\n'),
    ])
    return { ...Object.fromEntries(plain), status, text } as Record<string, unknown>
  }
  return { gateway, errorOf }
}

test('a signature that differs gets what the server signed, without secrets', async (t) => {
  const { gateway, errorOf } = await startInAws(t)
  const headers = { 'x-amz-security-token': 'a token' }
  const wrong = { ...testCredentials, secretKey: 'wrong' }
  const error = await errorOf({ method: 'GET', target: `${target}?versionId=null`, headers }, wrong)
  assert.equal(error.status, 403)
  assert.equal(error.Code, 'SignatureDoesNotMatch')
  assert.equal(error.AWSAccessKeyId, testCredentials.accessKey)
  assert.match(String(error.SignatureProvided), /^[0-9a-f]{64}$/)
  assert.match(
    String(error.StringToSign),
    /^AWS4-HMAC-SHA256\n\d{8}T\d{6}Z\n\d{8}\/[^\n]*\n\w{64}$/,
  )
  assert.match(String(error.CanonicalRequest), /^GET\n\/[^\n]*\/k\nversionId=null\nhost:/)
  assert.match(String(error.CanonicalRequest), /\nx-amz-security-token:\[redacted\]\n/)
  assert.doesNotMatch(String(error.text), /a token/)
  for (const name of ['StringToSign', 'CanonicalRequest']) {
    const bytes = Buffer.from(String(error[`${name}Bytes`]).replaceAll(' ', ''), 'hex')
    assert.equal(bytes.toString(), error[name])
  }
  const line = gateway.lines.find(({ code }) => code === 'SignatureDoesNotMatch')
  assert.match(String(line?.reason), /The signature does not match/)
})

test('an unknown access key is InvalidAccessKeyId', async (t) => {
  const { errorOf } = await startInAws(t)
  const error = await errorOf({ method: 'GET', target }, { ...testCredentials, accessKey: 'no' })
  assert.deepEqual([error.status, error.Code], [403, 'InvalidAccessKeyId'])
  assert.deepEqual([error.AWSAccessKeyId, error.StringToSign], ['no', undefined])
})

test('a presigned URL says when it expired, and how long it may be valid', async (t) => {
  const { gateway, errorOf } = await startInAws(t)
  const { host } = gateway
  const signedAtMs = Math.floor(Date.now() / 1_000) * 1_000 - 60_000
  const presigned = (expiresSeconds: number) => ({
    ...unsigned,
    target: presignTarget(
      { method: 'GET', target, host, expiresSeconds, signedAtMs },
      testCredentials,
    ),
  })
  const expired = await errorOf(presigned(10))
  assert.deepEqual([expired.status, expired.Code], [403, 'AccessDenied'])
  assert.equal(expired.Message, 'Request has expired')
  assert.equal(expired.Expires, new Date(signedAtMs + 10_000).toISOString())
  assert.match(String(expired.ServerTime), /^\d{4}-.*Z$/)
  const tooLong = await errorOf(presigned(604_801))
  assert.deepEqual([tooLong.status, tooLong.Code], [400, 'AuthorizationQueryParametersError'])
})

test('a clock that differs is RequestTimeTooSkewed', async (t) => {
  const { gateway, errorOf } = await startInAws(t)
  const signedAtMs = Date.now() - 3_600_000
  const { host: _, ...headers } = signHeaders(
    { method: 'GET', target, host: gateway.host, signedAtMs },
    testCredentials,
  )
  const error = await errorOf({ ...unsigned, headers })
  assert.deepEqual([error.status, error.Code], [403, 'RequestTimeTooSkewed'])
})
