import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import { AccessTokens } from '../../../../../../src/storage/drives/google/api/access-tokens.ts'
import type { GoogleCredentials } from '../../../../../../src/storage/drives/google/api/credentials.ts'
import {
  defaultLimits,
  GoogleHttp,
} from '../../../../../../src/storage/drives/google/api/google-http.ts'
import {
  FakeClock,
  json,
  reset,
  type Step,
  secrets,
  startScriptedGoogle,
  status,
} from './scripted-google.ts'

const person: GoogleCredentials = { kind: 'refresh-token', clientId: 'client-1', ...secrets }
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const robot: GoogleCredentials = {
  kind: 'service-account',
  clientEmail: 'robot@example.iam.gserviceaccount.com',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
}

async function startTokens(t: TestContext, credentials = person) {
  const google = await startScriptedGoogle(t)
  const http = new GoogleHttp(defaultLimits)
  t.after(() => http.close())
  const clock = new FakeClock()
  const backOff = { firstMs: 500, longestMs: 32_000 }
  const retryPolicy = { service: 'Google Drive', clock, backOff, retryForMs: 25_000 }
  const tokenUrl = google.endpoints.token
  return { google, clock, tokens: new AccessTokens({ credentials, tokenUrl, http, retryPolicy }) }
}

test('AccessTokens.get sends the refresh token, once for many callers', async (t) => {
  const { google, tokens } = await startTokens(t)
  const given = await Promise.all(Array.from({ length: 50 }, () => tokens.get()))
  assert.deepEqual([...new Set(given)], ['token-1'])
  assert.equal(await tokens.get(), 'token-1')
  assert.deepEqual(
    google.grants.map((grant) => Object.fromEntries(grant)),
    [
      {
        grant_type: 'refresh_token',
        client_id: 'client-1',
        client_secret: secrets.clientSecret,
        refresh_token: secrets.refreshToken,
      },
    ],
  )
})

test('AccessTokens.get sends an assertion for a service account', async (t) => {
  const { google, tokens } = await startTokens(t, robot)
  assert.equal(await tokens.get(), 'token-1')
  const [grant] = google.grants
  assert.equal(grant?.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer')
  const claims = JSON.parse(
    Buffer.from(grant?.get('assertion')?.split('.')[1] ?? '', 'base64url').toString(),
  ) as Record<string, unknown>
  assert.equal(claims.aud, google.endpoints.token)
  assert.equal(claims.scope, 'https://www.googleapis.com/auth/drive')
})

test('AccessTokens.get fetches the next token early, while calls go on with the old one', async (t) => {
  const { google, clock, tokens } = await startTokens(t)
  await tokens.get()
  clock.nowMs += 3_250_000
  const together = await Promise.all([tokens.get(), tokens.get()])
  assert.deepEqual(together, ['token-1', 'token-1'])
  // The token now ends within a minute: this waits for the renewal that is under way.
  clock.nowMs += 300_000
  assert.equal(await tokens.get(), 'token-2')
  assert.equal(google.grants.length, 2)
})

test('AccessTokens.get keeps the old token when the early renewal fails', async (t) => {
  const { google, clock, tokens } = await startTokens(t)
  await tokens.get()
  clock.nowMs += 3_300_000
  google.playTokens(json(400, { error: 'invalid_grant' }))
  assert.equal(await tokens.get(), 'token-1')
  while (google.grants.length < 2) await new Promise(setImmediate)
  assert.equal(await tokens.get(), 'token-1')
})

test('AccessTokens.forget makes the next call fetch a token, unless another call did', async (t) => {
  const { google, tokens } = await startTokens(t)
  const first = await tokens.get()
  tokens.forget(first)
  assert.equal(await tokens.get(), 'token-2')
  tokens.forget(first)
  assert.equal(await tokens.get(), 'token-2')
  assert.equal(google.grants.length, 2)
})

const refusals: readonly {
  readonly title: string
  readonly credentials: GoogleCredentials
  readonly step: Step
  readonly message: RegExp
}[] = [
  {
    title: 'a dead refresh token names the 7 days of Testing and the way back',
    credentials: person,
    step: json(400, { error: 'invalid_grant', error_description: 'Token has been revoked.' }),
    message: /\(invalid_grant\).*7 days.*In production.*bucketry connect google/,
  },
  {
    title: 'a session that an administrator limits is named',
    credentials: person,
    step: json(400, { error: 'invalid_grant', error_subtype: 'invalid_rapt' }),
    message: /\(invalid_grant invalid_rapt\)/,
  },
  {
    title: 'a wrong client secret',
    credentials: person,
    step: json(401, { error: 'invalid_client' }),
    message: /GDRIVE_CLIENT_ID or GDRIVE_CLIENT_SECRET is wrong/,
  },
  {
    title: 'a service account without delegation',
    credentials: robot,
    step: json(401, { error: 'unauthorized_client' }),
    message: /domain-wide delegation/,
  },
  {
    title: 'a page of HTML',
    credentials: robot,
    step: ({ response }) => void response.writeHead(403).end('<html>no</html>'),
    message: /\(403\).*Check the service account/,
  },
]
for (const { title, credentials, step, message } of refusals) {
  test(`AccessTokens.get rejects with advice: ${title}`, async (t) => {
    const { google, clock, tokens } = await startTokens(t, credentials)
    google.playTokens(step)
    const refused = (error: unknown) => {
      assert.ok(error instanceof DriveError)
      assert.equal(error.kind, 'unavailable')
      assert.match(error.message, message)
      const shown = inspect(error, { depth: 9 })
      assert.ok(!shown.includes(secrets.refreshToken) && !shown.includes(secrets.clientSecret))
      return true
    }
    await assert.rejects(tokens.get(), refused)
    // The refusal stands for a while without another call, then Google is asked again.
    await assert.rejects(tokens.get(), refused)
    assert.equal(google.grants.length, 1)
    clock.nowMs += 30_000
    assert.equal(await tokens.get(), 'token-1')
  })
}

test('AccessTokens.get retries transient errors', async (t) => {
  const { google, clock, tokens } = await startTokens(t)
  const broken: Step = ({ response }) => void response.writeHead(200).end('{"access_token":')
  google.playTokens(status(503), reset, broken, json(200, { access_token: 'a\nb', expires_in: 1 }))
  assert.equal(await tokens.get(), 'token-1')
  assert.deepEqual(clock.waits, [375, 750, 1500, 3000])
})

test('AccessTokens.get waits for Retry-After, but not beyond its time limit', async (t) => {
  const { google, clock, tokens } = await startTokens(t)
  google.playTokens(status(429, { 'retry-after': '9' }), status(429, { 'retry-after': '60' }))
  await assert.rejects(tokens.get(), { kind: 'busy', retryAfterSeconds: 60 })
  assert.deepEqual(clock.waits, [9000])
})

test('AccessTokens.get aborts only for the caller whose signal aborts', async (t) => {
  const { google, tokens } = await startTokens(t)
  const held = Promise.withResolvers<void>()
  google.playTokens(async ({ response }) => {
    await held.promise
    response.writeHead(200).end(JSON.stringify({ access_token: 'late', expires_in: 3600 }))
  })
  const stop = new AbortController()
  const leaving = tokens.get(stop.signal)
  const staying = tokens.get()
  stop.abort(new Error('left'))
  await assert.rejects(leaving, /left/)
  held.resolve()
  assert.equal(await staying, 'late')
  assert.equal(google.grants.length, 1)
})

test('AccessTokens.get reports an unusable key without showing it', async (t) => {
  const { tokens } = await startTokens(t, { ...robot, privateKey: 'secret-bytes' })
  await assert.rejects(tokens.get(), (error) => {
    assert.ok(error instanceof DriveError && error.kind === 'unavailable')
    assert.doesNotMatch(inspect(error, { depth: 9 }), /secret-bytes/)
    return true
  })
})

test('AccessTokens.get causes no unhandled rejection after an aborted caller', async (t) => {
  const { google, tokens } = await startTokens(t)
  google.playTokens(json(400, { error: 'invalid_grant' }))
  const lost: unknown[] = []
  const note = (error: unknown) => void lost.push(error)
  process.on('unhandledRejection', note)
  t.after(() => process.off('unhandledRejection', note))
  const leaving = new AbortController()
  const waiting = tokens.get(leaving.signal)
  leaving.abort(new Error('left'))
  await assert.rejects(waiting, /left/)
  await assert.rejects(tokens.get(leaving.signal), /left/)
  await assert.rejects(tokens.get(), { kind: 'unavailable' })
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(lost, [])
})

test('AccessTokens.get keeps a refusal no longer when the clock is set back', async (t) => {
  const { google, clock, tokens } = await startTokens(t)
  google.playTokens(json(400, { error: 'invalid_grant' }))
  await assert.rejects(tokens.get(), { kind: 'unavailable' })
  clock.setBackMs = 3_600_000
  clock.nowMs += 30_000
  assert.equal(await tokens.get(), 'token-1')
})
