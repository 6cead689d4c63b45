import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originBehind } from '../../../../src/platform/http/request-origin.ts'

const proxy = '10.0.0.2'

function originOf(
  headers: Record<string, string>,
  { isSecure = false, remoteAddress = '192.0.2.1', trusted = [proxy] as readonly string[] } = {},
) {
  return originBehind(trusted)({ headers, isSecure, remoteAddress })
}

test('The origin of a request is its scheme and host, without a default port', () => {
  assert.equal(originOf({ host: 'localhost:9000' }), 'http://localhost:9000')
  assert.equal(
    originOf({ host: 'S3.example.org:443' }, { isSecure: true }),
    'https://s3.example.org',
  )
  assert.equal(originOf({ host: '[::1]:9000' }), 'http://[::1]:9000')
  assert.equal(originOf({ host: 'bucketry_app:9000' }), 'http://bucketry_app:9000')
})

const forwarded = {
  host: 'inner:9000',
  'x-forwarded-proto': 'http, HTTPS',
  'x-forwarded-host': 'forged.example, s3.example.org',
}

test('A trusted proxy sets scheme and host, the last of several', () => {
  assert.equal(originOf(forwarded, { remoteAddress: proxy }), 'https://s3.example.org')
  assert.equal(
    originOf({ host: 'inner', 'x-forwarded-proto': 'gopher' }, { remoteAddress: proxy }),
    'http://inner',
  )
})

test('Nobody else does', () => {
  assert.equal(originOf(forwarded), 'http://inner:9000')
  assert.equal(originOf(forwarded, { remoteAddress: proxy, trusted: [] }), 'http://inner:9000')
})

for (const host of [
  '',
  'a b',
  'user:password@host',
  'host/path',
  'host?x',
  'host#x',
  'host:99999',
  'host:',
  '[::g]',
  '999.999.999.999',
  'ho\\st',
  '<script>',
  "h'onclick=",
  'é',
  'a,b',
]) {
  test(`A Host header ${JSON.stringify(host)} is no origin`, () => {
    assert.equal(originOf({ host }), undefined)
  })
}

test('Without a Host header there is no origin', () => {
  assert.equal(originOf({}), undefined)
})
