import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { s3Line } from '../../../../../src/app/telemetry/access-log/s3-line.ts'
import type { BegunReply } from '../../../../../src/app/telemetry/requests.ts'
import type { Outcome } from '../../../../../src/platform/http/exchange.ts'
import type { HttpRequest } from '../../../../../src/platform/http/message.ts'
import { recordOf, requestOf } from '../../start/request-of.ts'
import { athenaRow } from './athena-expression.ts'

const done: Outcome = {
  status: 200,
  bytesReceived: 300,
  bytesSent: 12,
  durationMs: 41.6,
  isAborted: false,
  logFields: { operation: 'GetObject', bucket: 'photos', key: 'a b' },
}

interface Given {
  readonly method?: string
  readonly target?: string
  readonly headers?: HttpRequest['headers']
  readonly outcome?: Partial<Outcome>
  readonly begun?: BegunReply
}

function lineOf(given: Given): string {
  const { method = 'GET', target = '/photos/a%20b', headers = {} } = given
  const request = {
    ...requestOf(method, target),
    headers,
    receivedAtMs: Date.UTC(2026, 0, 6, 0, 0, 38, 999),
  }
  const outcome = { ...done, ...given.outcome }
  return s3Line(recordOf(request, outcome, given))
}

function rowOf(given: Given) {
  const line = lineOf(given)
  const row = athenaRow(line.trimEnd())
  assert.ok(row, line)
  return row
}

test('A line has the fields of a server access log in the order of AWS', () => {
  const line = lineOf({
    target: '/photos/a%20b?versionId=null',
    headers: {
      authorization: 'AWS4-HMAC-SHA256 …',
      host: 's3.example.org',
      referer: 'http://www.example.org/page',
      'user-agent': 'aws-cli/2.9.19 (a b)',
    },
    begun: {
      turnAroundMs: 10.2,
      reply: {
        ...{ status: 200, headers: [['Content-Length', '3462992']] },
        logFields: { operation: 'GetObject' },
      },
    },
  })
  assert.equal(
    line,
    'bucketry photos [06/Jan/2026:00:00:38 +0000] 192.0.2.1 bucketry 0123456789ABCDEF REST.GET.OBJECT a%20b ' +
      '"GET /photos/a%20b?versionId=null HTTP/1.1" 200 - 12 3462992 42 10 "http://www.example.org/page" ' +
      '"aws-cli/2.9.19 (a b)" null - SigV4 - AuthHeader s3.example.org - - - -\n',
  )
})

test('A request without a signature has no requester and no signature version', () => {
  const { requester, sigv, authtype } = rowOf({
    outcome: { logFields: { operation: 'GetObject', anonymous: true } },
  })
  assert.deepEqual([requester, sigv, authtype], ['-', '-', '-'])
})

test('The requester is the name of the access key, in one field', () => {
  const rowFor = (accessKey: string) =>
    rowOf({ outcome: { logFields: { operation: 'GetObject', accessKey } } })
  assert.equal(rowFor('backup').requester, 'backup')
  assert.equal(rowFor('my "phone"').bucketowner, 'bucketry')
  assert.match(rowFor('my "phone"').requester ?? '', /^my[^ ]*phone[^ ]*$/)
})

test('A request whose signature was refused has its operation and its error code, but no requester', () => {
  const row = rowOf({
    method: 'PUT',
    target: '/photos/a?partNumber=1&uploadId=x',
    headers: { authorization: 'AWS4-HMAC-SHA256 …' },
    outcome: { status: 403, bytesSent: 0, logFields: { code: 'AccessDenied' } },
  })
  assert.equal(row.operation, 'REST.PUT.PART')
  assert.equal(row.errorcode, 'AccessDenied')
  assert.equal(row.bytessent, '-')
  assert.deepEqual([row.requester, row.sigv, row.authtype], ['-', '-', '-'])
})

test('A line has no signature, session token or customer key of a presigned URL', () => {
  const secret = 'c0ffee'
  const names = [
    'X-Amz-Signature',
    'x-amz-signature',
    'X%2DAmz-Signature',
    'X-Amz-Security-Token',
    'x-amz-server-side-encryption-customer-key',
  ]
  for (const name of names) {
    const row = rowOf({ target: `/photos/a?X-Amz-Expires=60&${name}=${secret}&partNumber=1` })
    assert.doesNotMatch(row.request_uri, /c0ffee/)
    assert.match(row.request_uri, /X-Amz-Expires=60&.*=REDACTED&partNumber=1 HTTP/)
    assert.equal(row.authtype, 'QueryString')
  }
})

const operations: readonly (readonly [string, string, string, string | undefined])[] = [
  ['GET', '/', 'REST.GET.SERVICE', 'ListBuckets'],
  ['GET', '/b?list-type=2', 'REST.GET.BUCKET', 'ListObjectsV2'],
  ['GET', '/b?policy', 'REST.GET.BUCKETPOLICY', 'BucketDefault'],
  ['GET', '/b?logging', 'REST.GET.LOGGING_STATUS', 'BucketDefault'],
  ['GET', '/b/k?tagging', 'REST.GET.OBJECT_TAGGING', 'GetObjectTagging'],
  ['PUT', '/b/k?tagging', 'REST.PUT.OBJECT_TAGGING', undefined],
  ['GET', '/b/k?retention', 'REST.GET.OBJECT_LOCK_RETENTION', 'GetObjectRetention'],
  ['PUT', '/b/k', 'REST.COPY.OBJECT', 'CopyObject'],
  ['PUT', '/b/k?partNumber=1&uploadId=u', 'REST.PUT.PART', undefined],
  ['POST', '/b?delete', 'REST.POST.MULTI_OBJECT_DELETE', undefined],
  ['POST', '/b/k?uploads', 'REST.POST.UPLOADS', undefined],
  ['POST', '/b/k?uploadId=u', 'REST.POST.UPLOAD', undefined],
  ['DELETE', '/b/k?uploadId=u', 'REST.DELETE.UPLOAD', undefined],
  ['OPTIONS', '/b/k', 'REST.OPTIONS.PREFLIGHT', undefined],
  ['PUT', '/b', 'REST.PUT.BUCKET', undefined],
  ['PATCH', '/b/k', 'REST.PATCH.OBJECT', undefined],
  ['GET', '/%zz/k', 'REST.GET.OBJECT', undefined],
]

test('An operation has the name that AWS gives it, also when it was refused before it was known', () => {
  for (const [method, target, expected, operation] of operations) {
    const logFields = operation === undefined ? {} : { operation }
    assert.equal(rowOf({ method, target, outcome: { logFields } }).operation, expected, target)
  }
})

test('A form has its key in its body, and is not signed before its signature is verified', () => {
  const form = { operation: 'PostObject', bucket: 'b', key: 'a ä%41' }
  const line = (more: object) =>
    rowOf({ method: 'POST', target: '/b', outcome: { logFields: { ...form, ...more } } })
  const { operation, key, requester, sigv, authtype } = line({})
  assert.deepEqual([operation, key], ['REST.POST.OBJECT', 'a%20%C3%A4%2541'])
  assert.deepEqual([requester, sigv, authtype], ['bucketry', '-', '-'])
  assert.equal(line({ anonymous: true }).requester, '-')
})

test('A request with the session of the dashboard is not signed', () => {
  const logFields = { operation: 'GetObject', bucket: 'b', key: 'k', session: true }
  const { requester, sigv, authtype } = rowOf({ target: '/b/k', outcome: { logFields } })
  assert.deepEqual([requester, sigv, authtype], ['bucketry', '-', '-'])
})

test('A bucket in the host name is that of the line', () => {
  const logFields = { operation: 'GetObject', bucket: 'my.files', hostBucket: 'my.files' }
  const row = rowOf({ target: '/a%20b?partNumber=1', outcome: { logFields } })
  assert.deepEqual([row.bucket_name, row.key], ['my.files', 'a%20b'])
  assert.match(row.request_uri, /GET \/a%20b\?partNumber=1/)
  const refused = rowOf({ target: '/', outcome: { status: 403, logFields: { hostBucket: 'b' } } })
  assert.deepEqual([refused.operation, refused.bucket_name], ['REST.GET.BUCKET', 'b'])
})

test('A legal key is complete however long it is, and the line fits a pipe', () => {
  const key = '%E3%81%82'.repeat(341)
  const row = rowOf({
    target: `/photos/${key}?${'x'.repeat(9_000)}`,
    headers: {
      'user-agent': 'u'.repeat(9_000),
      referer: 'r'.repeat(9_000),
      host: 'h'.repeat(9_000),
    },
  })
  assert.equal(row.key, key)
  assert.match(row.request_uri, /^"GET \/photos\/.*\.\.\. HTTP\/1\.1"$/)
})

test('A very long key and a very long bucket name are cut', () => {
  const row = rowOf({ target: `/${'b'.repeat(30_000)}/${'k'.repeat(30_000)}` })
  assert.equal(row.bucket_name.length, 63)
  assert.equal(row.key.length, 3_072)
  assert.match(row.key, /\.\.\.$/)
})

test('Whatever a client sends, a line is one line of at most 4,096 ASCII characters in its columns', () => {
  const latin1 = fc.string({
    unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
    maxLength: 6_000,
    size: 'max',
  })
  const given = fc.record({
    path: latin1,
    query: latin1,
    referer: latin1,
    agent: latin1,
    host: latin1,
    isSigned: fc.boolean(),
  })
  fc.assert(
    fc.property(given, ({ path, query, referer, agent, host, isSigned }) => {
      const line = lineOf({
        target: `/${path.replaceAll('?', '')}?${query}`,
        headers: { referer, 'user-agent': agent, host, authorization: '"' },
        outcome: { logFields: isSigned ? { operation: 'GetObject' } : {} },
      })
      assert.match(line, /^[ -~]+\n$/)
      assert.ok(line.length <= 4_096, String(line.length))
      const row = athenaRow(line.slice(0, -1))
      assert.match(row?.request_uri ?? '', /^"GET [!-~]+ HTTP\/1\.1"$/)
      assert.equal(row?.httpstatus, '200')
      assert.equal(row?.totaltime, '42')
      assert.equal(row?.requester, isSigned ? 'bucketry' : '-')
      assert.equal(row?.tlsversion, '-')
    }),
  )
})
