import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFromOtherOrigin, isRebindable } from '../../../../src/platform/http/page-origin.ts'

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
