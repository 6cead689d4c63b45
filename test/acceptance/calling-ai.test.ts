import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callPaths } from '../../src/models/calls/call-paths.ts'
import { modelsApiKey, startCalling, startWithUpstream } from '../support/calling.ts'

test('The paths below /ai/v1 are those below /v1, with the same errors', async (t) => {
  const { upstream, url } = await startWithUpstream(t)
  const headers = { authorization: `Bearer ${modelsApiKey}`, 'content-type': 'application/json' }
  for (const { path, flavour, body } of callPaths) {
    const text = JSON.stringify({ model: 'lab/big' })
    const [ours, theirs] = await Promise.all(
      ['/v1', '/ai/v1'].map(async (prefix) => {
        const reply = await fetch(url + prefix + path, { method: 'POST', headers, body: text })
        assert.equal(reply.headers.get('access-control-allow-origin'), '*')
        return { status: reply.status, body: await reply.text() }
      }),
    )
    assert.deepEqual(theirs, ours, path)
    if (flavour !== 'openai' || body !== 'json') continue
    assert.equal(theirs?.status, 200, path)
    assert.equal(upstream.calls.at(-1)?.path, `/v1${path}`)
  }
  const preflight = await fetch(`${url}/ai/v1/messages`, { method: 'OPTIONS' })
  assert.equal(preflight.headers.get('access-control-allow-headers'), 'authorization, *')
  const refused = await fetch(`${url}/ai/v1/messages`, { method: 'POST' })
  const { type, error } = (await refused.json()) as { type: string; error: { type: string } }
  assert.deepEqual([refused.status, type, error.type], [401, 'error', 'authentication_error'])
})

test('Below /ai there are no objects, and errors have the form of models', async (t) => {
  const { url } = await startCalling(t)
  for (const path of ['/ai', '/ai/', '/ai/v1', '/ai/v1/none', '/ai/chat/completions']) {
    const reply = await fetch(url + path)
    const { error } = (await reply.json()) as { error: { type: string } }
    assert.deepEqual([reply.status, error.type], [404, 'invalid_request_error'], path)
  }
  assert.equal((await fetch(`${url}/aide`)).headers.get('content-type'), 'application/xml')
})
