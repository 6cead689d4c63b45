import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { authenticate } from '../../../../../src/storage/s3/sigv4/authenticate.ts'
import { presign } from '../../../../../src/storage/s3/sigv4/presign.ts'
import { fakeRequest } from '../fake-request.ts'
import { assertRefused, minuteMs, nowMs, settings, signedPresigned } from './signed-request.ts'

describe('authenticate, presigned form', () => {
  const options = { ...settings, method: 'GET', origin: 'http://localhost:9000', nowMs }
  const make = (over: object = {}) =>
    presign({ ...options, path: '/bucket/a b/é+.txt', expiresSeconds: 300, ...over })
  const send = (url: string, headers: Record<string, string> = {}) =>
    fakeRequest({
      target: url.slice(options.origin.length),
      headers: { ...headers, host: 'localhost:9000' },
    })

  test('accepts a URL until it expires', () => {
    const request = send(make({ query: { 'response-content-type': 'text/plain; a=b' } }))
    for (const at of [nowMs, nowMs + 300_000, nowMs - 15 * minuteMs]) {
      assert.deepEqual(authenticate(request, settings, at), signedPresigned)
    }
    assertRefused(request, /^Request has expired$/, nowMs + 300_001)
    assertRefused(request, /not yet valid/, nowMs - 15 * minuteMs - 1)
  })

  test('requires X-Amz-Expires to be an integer from 1 to 604800', () => {
    const request = send(make({ expiresSeconds: 604_800 }))
    assert.deepEqual(authenticate(request, settings, nowMs + 604_800_000), signedPresigned)
    for (const expiresSeconds of [0, -1, 604_801, 1.5, 1e9, Number.NaN]) {
      assertRefused(send(make({ expiresSeconds })), /^Request has expired$/)
    }
    for (const value of ['', '=', '=+60', '=60s', '=0x10']) {
      const url = make().replace('X-Amz-Expires=300', `X-Amz-Expires${value}`)
      assertRefused(send(url), /^Request has expired$/)
    }
    assertRefused(send(make().replace('X-Amz-Expires=300&', '')), /^Request has expired$/)
  })

  test('refuses a parameter that is missing, repeated or changed', () => {
    const names = ['Algorithm', 'Credential', 'Date', 'SignedHeaders', 'Signature']
    for (const name of names) {
      const without = make().replace(new RegExp(`X-Amz-${name}=[^&]*&?`), '')
      assertRefused(send(without), /Query-string authentication needs/)
      assertRefused(send(`${make()}&X-Amz-${name}=1`), /more than once/)
    }
    assertRefused(send(`${make()}&acl`), /does not match/)
    assertRefused(send(make().replace('X-Amz-Expires=300', 'X-Amz-Expires=301')), /does not match/)
    assertRefused(send(make().replace('SHA256', 'SHA1')), /Query-string authentication needs/)
  })

  test('refuses an added x-amz-* header that affects the request', () => {
    assertRefused(send(make(), { 'x-amz-copy-source': '/b/k' }), /not signed: x-amz-copy-source/)
  })

  test('accepts an unsigned header that repeats a signed parameter, as Rails sends it', () => {
    const repeated = make({ query: { 'x-amz-meta-note': 'a  é', 'x-amz-acl': 'private' } })
    const note = Buffer.from('a  é').toString('latin1')
    const accepted = send(repeated, { 'x-amz-meta-note': note, 'X-Amz-Acl': ' private' })
    assert.deepEqual(authenticate(accepted, settings, nowMs), signedPresigned)
    const refused: Record<string, string>[] = [
      { 'x-amz-meta-note': 'a é' },
      { 'x-amz-meta-note': '' },
      { 'x-amz-meta-note': 'a%20%20%C3%A9' },
      { 'x-amz-meta-other': note },
      { 'x-amz-meta-note': note, 'x-amz-acl': 'Private' },
      { 'x-amz-signature': 'x' },
      { 'x-amz-expires': '300' },
    ]
    for (const headers of refused) assertRefused(send(repeated, headers), /not signed: x-amz-/)
    assertRefused(send(make(), { 'x-amz-meta-note': note }), /not signed: x-amz-meta-note/)
  })

  test('does not accept an unsigned header for a parameter that was added', () => {
    const added = send(`${make()}&x-amz-meta-note=a`, { 'x-amz-meta-note': 'a' })
    assertRefused(added, /does not match/)
  })

  test('reads an empty x-amz-content-sha256 as none', () => {
    const request = send(make(), { 'x-amz-content-sha256': '' })
    assert.deepEqual(authenticate(request, settings, nowMs), signedPresigned)
  })

  test('refuses a Version 2 URL and explains how to use Version 4', () => {
    const url = '/bucket/key?AWSAccessKeyId=A&Signature=b%2F%3D&Expires=1700000000'
    assertRefused(fakeRequest({ target: url }), /s3v4/)
  })
})
