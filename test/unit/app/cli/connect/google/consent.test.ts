import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import {
  consentCodeOf,
  consentUrl,
  newConsent,
} from '../../../../../../src/app/cli/connect/google/consent.ts'

const consent = { state: 'state-1', verifier: 'verifier-1' }
const back = (query: string) => new URL(`http://127.0.0.1:9/?${query}`)

test('consentUrl asks for the scope drive, offline, with state and PKCE', () => {
  const url = new URL(
    consentUrl(consent, {
      authorizeUrl: 'https://accounts.example/auth',
      clientId: 'id-1',
      redirectUri: 'http://127.0.0.1:9',
    }),
  )
  assert.equal(url.origin + url.pathname, 'https://accounts.example/auth')
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    client_id: 'id-1',
    redirect_uri: 'http://127.0.0.1:9',
    response_type: 'code',
    scope: 'https://www.googleapis.com/auth/drive',
    state: 'state-1',
    code_challenge: createHash('sha256').update('verifier-1').digest('base64url'),
    code_challenge_method: 'S256',
    access_type: 'offline',
    prompt: 'consent',
  })
})

test('newConsent is another one each time, with a verifier as RFC 7636 wants it', () => {
  const [one, other] = [newConsent(), newConsent()]
  assert.notEqual(one.state, other.state)
  assert.notEqual(one.verifier, other.verifier)
  assert.match(one.verifier, /^[\w-]{43,128}$/)
})

test('consentCodeOf takes the code of the answer to this question only', () => {
  assert.equal(consentCodeOf(consent, back('state=state-1&code=4%2Fabc&scope=x')), '4/abc')
  assert.equal(consentCodeOf(consent, back('state=other&code=4%2Fabc')), undefined)
  assert.equal(consentCodeOf(consent, back('code=4%2Fabc')), undefined)
  assert.equal(consentCodeOf(consent, back('state=other&error=access_denied')), undefined)
  assert.equal(consentCodeOf(consent, back('state=state-1')), undefined)
})

test('consentCodeOf throws an error with advice when consent is refused', () => {
  assert.throws(
    () => consentCodeOf(consent, back('state=state-1&error=access_denied')),
    /test users/,
  )
  assert.throws(
    () => consentCodeOf(consent, back('state=state-1&error=org_internal')),
    /\(org_internal\)/,
  )
  const odd = back(`state=state-1&error=${encodeURIComponent('\u001b[31m')}`)
  assert.throws(
    () => consentCodeOf(consent, odd),
    (error) => {
      assert.ok(error instanceof Error && !error.message.includes('\u001b'))
      return true
    },
  )
})
