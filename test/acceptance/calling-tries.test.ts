import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StrictUpstream, sendJson } from '../fakes/strict-upstream.ts'
import { fieldsOf, startCalling, startWithUpstream } from '../support/calling.ts'

const chat = { model: 'lab/big', messages: [], stream: true }

test('A session calls models without a key, and is counted; the upstream does not get its token', async (t) => {
  const { url, management, upstream } = await startWithUpstream(t, {}, { MODELS_API_KEY: '' })
  const reply = await management.send('POST', '/calls/chat/completions', { model: 'lab/big' })
  assert.equal(reply.status, 200)
  assert.equal(reply.body.model, 'big-2026')
  const [call] = upstream.calls
  assert.equal(call?.headers.authorization, `Bearer ${upstream.key}`)
  assert.equal(call?.path, '/v1/chat/completions')
  const { rows } = await management.done('GET', '/usage')
  assert.equal(rows[0].keyId, 'dashboard')
  assert.equal(rows[0].inputTokens, 7)
  assert.equal(new URL(url).pathname, '/')
})

test('No one else calls this way: not without a session, not with a key, not after signing out', async (t) => {
  const { url, management, upstream } = await startWithUpstream(t)
  const { secret } = await management.done('POST', '/model-keys', { name: 'app' })
  const send = (
    headers: Record<string, string>,
    path = '/chat/completions',
    body = JSON.stringify(chat),
  ) => fetch(`${url}/-/api/calls${path}`, { method: 'POST', headers, body })
  const json = { 'content-type': 'application/json' }
  const login = await fetch(`${url}/auth/login`, {
    method: 'POST',
    body: JSON.stringify({ passwordHash: await hashOf('correct-horse-battery-staple') }),
  })
  const { token } = (await login.json()) as { token: string }
  for (const headers of [
    json,
    { ...json, authorization: 'Bearer models-api-key' },
    { ...json, authorization: `Bearer ${secret}` },
    { ...json, 'x-api-key': secret },
    { ...json, cookie: `session=${token}; token=${token}` },
    // What a form of another page could send.
    { 'content-type': 'text/plain', origin: 'https://evil.example' },
  ]) {
    const reply = await send(headers)
    assert.equal(reply.status, 401)
    assert.equal(reply.headers.get('access-control-allow-origin'), null)
  }
  const preflight = await fetch(`${url}/-/api/calls/chat/completions`, {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  })
  assert.ok(preflight.status >= 400)
  assert.equal(preflight.headers.get('access-control-allow-origin'), null)
  const session = { ...json, authorization: `Bearer ${token}`, origin: 'https://evil.example' }
  const answered = await send(session)
  assert.equal(answered.status, 200)
  assert.equal(answered.headers.get('access-control-allow-origin'), null)
  await answered.text()
  assert.equal((await send(session, '/embeddings')).status, 404)
  assert.equal((await send({ ...session, 'content-type': 'text/plain' })).status, 415)
  await fetch(`${url}/auth/logout`, { method: 'POST', headers: session })
  assert.equal((await send(session)).status, 401)
  assert.equal(upstream.calls.length, 1)
})

test('A model of the other API says so, in a form that the dashboard reads', async (t) => {
  const calling = await startWithUpstream(t, { flavour: 'anthropic' })
  const { management, upstream, connectionId } = calling
  await management.done('PATCH', `/routing/connections/${connectionId}`, {
    providerSpecificData: { translate: false },
  })
  const wrong = await management.send('POST', '/calls/chat/completions', chat)
  assert.equal(wrong.status, 400)
  assert.equal(wrong.body.error.code, 'wrong_path')
  const right = await management.send('POST', '/calls/messages', {
    model: 'lab/big',
    max_tokens: 5,
  })
  assert.equal(right.status, 200)
  assert.equal(upstream.calls.length, 1)
})

test('What is paused can be called again at once', async (t) => {
  const upstream = await StrictUpstream.start(t)
  const { management, connect, call } = await startCalling(t)
  const id = await connect('lab', fieldsOf(upstream))
  upstream.behave = (_, response) => sendJson(response, 401, { error: { message: 'no' } })
  const body = { model: 'lab/big' }
  assert.equal((await call('/chat/completions', body)).status, 502)
  const { pauses } = await management.done('GET', '/routing/pauses')
  assert.equal(pauses[0].connectionId, id)
  assert.equal(pauses[0].status, 401)
  await management.done('DELETE', '/routing/pauses/other')
  assert.equal((await call('/chat/completions', body)).status, 503)
  await management.done('DELETE', `/routing/pauses/${id}`)
  assert.deepEqual(await management.done('GET', '/routing/pauses'), { pauses: [] })
  assert.equal((await call('/chat/completions', body)).status, 502)
  assert.equal(upstream.calls.length, 2)
})

async function hashOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', Buffer.from(text))
  return Buffer.from(bytes).toString('hex')
}
