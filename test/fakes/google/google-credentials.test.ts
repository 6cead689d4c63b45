import assert from 'node:assert/strict'
import { createSign, generateKeyPairSync } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { GoogleCalls } from './google-calls.ts'
import { type GoogleEmulator, startGoogleEmulator } from './google-emulator.ts'

const jwtGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

suite('Google emulator: credentials', () => {
  let emulator: GoogleEmulator
  let calls: GoogleCalls

  before(async () => {
    emulator = await startGoogleEmulator()
    calls = new GoogleCalls(emulator)
  })
  after(() => emulator.close())

  const ask = async (form: Record<string, string>) => {
    const body = new URLSearchParams(form)
    const reply = await fetch(emulator.endpoints.token, { method: 'POST', body })
    return { status: reply.status, json: (await reply.json()) as Record<string, unknown> }
  }
  const refresh = (change: Record<string, string> = {}) => {
    const { clientId, clientSecret, refreshToken } = emulator.credentials
    return ask({
      grant_type: 'refresh_token',
      client_id: clientId,
      client_secret: clientSecret,
      refresh_token: refreshToken,
      ...change,
    })
  }
  const assertion = (change: Record<string, unknown> = {}, key?: string) => {
    const now = Math.floor(emulator.clock.nowMs() / 1000)
    const { client_email, private_key } = emulator.serviceAccount
    const scope = 'https://www.googleapis.com/auth/drive'
    const aud = emulator.endpoints.token
    const claims = { iss: client_email, scope, aud, iat: now, exp: now + 3600, ...change }
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`
    const signature = createSign('RSA-SHA256')
      .update(signed)
      .sign(key ?? private_key, 'base64url')
    return ask({ grant_type: jwtGrant, assertion: `${signed}.${signature}` })
  }
  const withToken = (token: unknown) => calls.api('files/root', { token: String(token) })

  test('a refresh token returns an access token that is valid for an hour', async () => {
    const { status, json } = await refresh()
    assert.equal(status, 200)
    assert.deepEqual(
      { ...json, access_token: typeof json.access_token },
      {
        access_token: 'string',
        expires_in: 3599,
        token_type: 'Bearer',
        scope: 'https://www.googleapis.com/auth/drive',
      },
    )
    assert.equal((await withToken(json.access_token)).status, 200)
    emulator.clock.advance(3_600_000)
    const late = await withToken(json.access_token)
    assert.equal(late.status, 401)
    assert.equal(late.json.error.errors[0].reason, 'authError')
  })

  test('a wrong client returns invalid_client, a revoked token invalid_grant', async () => {
    const cases: readonly (readonly [Record<string, string>, number, string])[] = [
      [{ client_id: 'x' }, 401, 'invalid_client'],
      [{ client_secret: 'x' }, 401, 'invalid_client'],
      [{ refresh_token: 'x' }, 400, 'invalid_grant'],
      [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ]
    for (const [change, status, error] of cases) {
      const reply = await refresh(change)
      assert.deepEqual([reply.status, reply.json.error], [status, error])
    }
    emulator.desk.isRevoked = true
    assert.equal((await refresh()).json.error, 'invalid_grant')
    emulator.desk.isRevoked = false
  })

  test('a missing, unknown or expired token returns 401', async () => {
    assert.equal((await calls.api('files/root', { token: null })).status, 401)
    assert.equal((await withToken('ya29.invented')).status, 401)
    const { access_token } = (await refresh()).json
    emulator.desk.expireTokens()
    assert.equal((await withToken(access_token)).status, 401)
    calls = new GoogleCalls(emulator)
  })

  test('a service account gets a token for its signed assertion', async () => {
    const { status, json } = await assertion()
    assert.equal(status, 200)
    assert.equal((await withToken(json.access_token)).status, 200)
  })

  test('a service account is rejected for wrong keys, claims and times', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const other = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    assert.equal((await assertion({}, other)).json.error, 'invalid_grant')
    const now = Math.floor(emulator.clock.nowMs() / 1000)
    const cases: readonly Record<string, unknown>[] = [
      { iss: 'somebody@example.com' },
      { aud: 'https://example.com/token' },
      { exp: now + 7200 },
      { iat: now - 7200, exp: now - 3600 },
      { iat: now + 3600, exp: now + 3700 },
      { scope: 'https://www.googleapis.com/auth/calendar' },
      { exp: undefined },
    ]
    for (const change of cases) {
      assert.equal((await assertion(change)).status, 400, JSON.stringify(change))
    }
  })

  test('a service account has no storage except on behalf of a user', async () => {
    const create = async (token: unknown) =>
      await calls.api('files', { body: { name: 'x' }, token: String(token) })
    const own = await create((await assertion()).json.access_token)
    assert.equal(own.status, 403)
    assert.equal(own.json.error.errors[0].reason, 'storageQuotaExceeded')
    assert.match(own.json.error.message, /Service Accounts do not have storage quota/)
    const delegated = (await assertion({ sub: 'person@example.com' })).json.access_token
    assert.equal((await create(delegated)).status, 200)
  })
})
