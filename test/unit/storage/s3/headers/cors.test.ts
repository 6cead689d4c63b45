import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpReply, HttpRequest } from '../../../../../src/platform/http/message.ts'
import type { S3Service } from '../../../../../src/storage/s3/context.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { answerPreflight, corsHeaders } from '../../../../../src/storage/s3/headers/cors.ts'

const origin = 'https://app.example'
const request = (headers: Record<string, string>) =>
  ({ method: 'GET', rawPath: '/', headers }) as unknown as HttpRequest
const serviceFor = (corsAllowedOrigins: readonly string[]) =>
  ({ settings: { corsAllowedOrigins }, buckets: { find: () => undefined } }) as unknown as S3Service
const preflight = request({
  origin,
  'access-control-request-method': 'PUT',
  'access-control-request-headers': 'authorization,content-type',
})
const reply: HttpReply = {
  status: 200,
  headers: [
    ['ETag', '"e"'],
    ['x-amz-meta-colour', 'blue'],
  ],
}

test('corsHeaders adds nothing when CORS_ALLOWED_ORIGINS is unset', () => {
  assert.deepEqual(corsHeaders(request({ origin }), reply, serviceFor([]), {}), [])
})

test('corsHeaders returns the allowed origin, exposes the headers of the reply and adds Vary', () => {
  const headers = new Map(corsHeaders(request({ origin }), reply, serviceFor([origin]), {}))
  assert.equal(headers.get('Access-Control-Allow-Origin'), origin)
  assert.match(
    headers.get('Access-Control-Expose-Headers') ?? '',
    /\betag\b.*\bx-amz-meta-colour\b/,
  )
  assert.equal(headers.get('Vary'), 'Origin')
})

test('corsHeaders only adds Vary for a missing or disallowed origin', () => {
  assert.deepEqual(
    corsHeaders(request({ origin: 'https://evil.example' }), reply, serviceFor([origin]), {}),
    [['Vary', 'Origin']],
  )
  assert.deepEqual(corsHeaders(request({}), reply, serviceFor([origin]), {}), [['Vary', 'Origin']])
})

test('corsHeaders returns * for every origin when * is allowed', () => {
  const headers = new Map(corsHeaders(request({ origin }), reply, serviceFor(['*']), {}))
  assert.equal(headers.get('Access-Control-Allow-Origin'), '*')
  assert.equal(headers.has('Vary'), false)
})

test('answerPreflight allows the requested headers to an allowed origin', () => {
  const answer = answerPreflight(preflight, serviceFor([origin]))
  assert.equal(answer.status, 200)
  const headers = new Map(answer.headers)
  assert.match(headers.get('Access-Control-Allow-Methods') ?? '', /PUT/)
  assert.equal(headers.get('Access-Control-Allow-Headers'), 'authorization,content-type')
})

test('answerPreflight refuses other origins, requests while CORS is off, and other OPTIONS requests', () => {
  const refused = (code: string) => (error: unknown) =>
    error instanceof S3Error && error.code === code
  assert.throws(
    () => answerPreflight(preflight, serviceFor(['https://other.example'])),
    refused('AccessForbidden'),
  )
  assert.throws(() => answerPreflight(preflight, serviceFor([])), refused('AccessForbidden'))
  assert.throws(() => answerPreflight(request({}), serviceFor(['*'])), refused('BadRequest'))
})
