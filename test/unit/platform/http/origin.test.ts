import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  clientAddressBehind,
  isFromOtherOrigin,
  isRebindable,
  originBehind,
} from '../../../../src/platform/http/origin.ts'

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

const direct = ['http://nas.local:9000'] as const

for (const [what, headers, own, expected] of [
  ['a script', {}, direct, false],
  ['the dashboard', { 'sec-fetch-site': 'same-origin', origin: direct[0] }, direct, false],
  ['a typed address', { 'sec-fetch-site': 'none' }, direct, false],
  [
    'a page elsewhere',
    { 'sec-fetch-site': 'cross-site', origin: 'https://e.example' },
    direct,
    true,
  ],
  ['a page elsewhere without Origin', { 'sec-fetch-site': 'cross-site' }, direct, true],
  ['another port of the same host', { 'sec-fetch-site': 'same-site' }, direct, true],
  ['an unknown Sec-Fetch-Site', { 'sec-fetch-site': 'else' }, direct, true],
  [
    'a page elsewhere that lies about Origin',
    { 'sec-fetch-site': 'cross-site', origin: direct[0] },
    direct,
    true,
  ],
  // Browsers send Sec-Fetch-Site only to HTTPS and to the own machine.
  ['the dashboard in a home network', { origin: 'http://nas.local:9000' }, direct, false],
  ['another page in a home network', { origin: 'http://nas.local' }, direct, true],
  ['a frame without an origin', { origin: 'null' }, direct, true],
  ['an Origin that is none', { origin: '' }, direct, true],
  [
    'the dashboard behind a proxy with another Host',
    { origin: 'https://s3.example.org' },
    ['https://s3.example.org', 'http://10.0.0.9:9000'],
    false,
  ],
  [
    'the dashboard by its own address beside PUBLIC_URL',
    { origin: 'http://10.0.0.9:9000' },
    ['https://s3.example.org', 'http://10.0.0.9:9000'],
    false,
  ],
  [
    'the dashboard behind a proxy that ends TLS',
    { origin: 'https://nas.local:9000' },
    direct,
    false,
  ],
  [
    'the development server of the dashboard, which passes requests on',
    { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:5173' },
    ['http://127.0.0.1:9000'],
    false,
  ],
  ['a client whose Host is none', { origin: 'https://e.example' }, [undefined], true],
] as const) {
  test(`A request is ${expected ? '' : 'not '}from another origin: ${what}`, () => {
    assert.equal(isFromOtherOrigin({ headers }, own), expected)
  })
}

for (const [own, headers, expected] of [
  ['http://rebound.example:9000', { origin: 'http://rebound.example:9000' }, true],
  ['http://rebound.example:9000', { 'sec-fetch-site': 'same-origin' }, true],
  ['http://localhost.example', { origin: 'http://localhost.example' }, true],
  [undefined, { origin: 'http://localhost' }, true],
  ['http://bucketry:9000', {}, false],
  ['http://localhost:9000', { origin: 'http://localhost:9000' }, false],
  ['http://127.0.0.1:9000', { origin: 'http://127.0.0.1:9000' }, false],
  ['http://[::1]:9000', { origin: 'http://[::1]:9000' }, false],
] as const) {
  test(`A request to ${own} with ${JSON.stringify(headers)} may be rebound: ${expected}`, () => {
    assert.equal(isRebindable({ headers }, own), expected)
  })
}

for (const [name, trusted, peer, header, expected] of [
  ['nobody is trusted', [], '10.0.0.1', '1.2.3.4', '10.0.0.1'],
  ['the peer is not a proxy', ['10.0.0.0/8'], '9.9.9.9', '1.2.3.4', '9.9.9.9'],
  ['the peer is a proxy', ['10.0.0.0/8'], '10.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['the peer is a proxy in IPv6 form', ['10.0.0.1'], '::ffff:10.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['a client lies', ['10.0.0.1'], '10.0.0.1', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
  ['two proxies', ['10.0.0.1', '::1'], '::1', '6.6.6.6, 1.2.3.4,10.0.0.1', '1.2.3.4'],
  ['all are proxies', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['the proxy adds a port', ['10.0.0.1'], '10.0.0.1', '6.6.6.6, 1.2.3.4:51234', '1.2.3.4'],
  ['the proxy adds a port to IPv6', ['10.0.0.1'], '10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
  ['IPv6 is in brackets', ['10.0.0.1'], '10.0.0.1', '[2001:db8::1]', '2001:db8::1'],
  ['IPv6 is bare', ['10.0.0.1'], '10.0.0.1', '2001:db8::1', '2001:db8::1'],
  ['the address is quoted', ['10.0.0.1'], '10.0.0.1', '"[2001:db8::1]:443"', '2001:db8::1'],
  ['IPv4 is quoted', ['10.0.0.1'], '10.0.0.1', '"1.2.3.4"', '1.2.3.4'],
  ['ports are on all hops', ['10.0.0.0/8'], '10.0.0.1', '1.2.3.4:1, 10.0.0.2:2', '1.2.3.4'],
  ['a bracket is not closed', ['10.0.0.1'], '10.0.0.1', '[2001:db8::1', '10.0.0.1'],
  ['the header is empty', ['10.0.0.1'], '10.0.0.1', '', '10.0.0.1'],
  ['there is no header', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
  ['the header is nonsense', ['10.0.0.1'], '10.0.0.1', 'unknown', '10.0.0.1'],
] as const) {
  test(`The client's address when ${name}`, () => {
    assert.equal(clientAddressBehind(trusted)(peer, header), expected)
  })
}
