import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'
import { failing, sendJson } from '../fakes/strict-upstream.ts'
import { fieldsOf, modelsApiKey, startWithUpstream } from '../support/calling.ts'

const organization = 'org-of-the-connection'
const title = 'Zoé Lab'
const body = { model: 'lab/big', messages: [{ role: 'user', content: 'Hi' }] }

async function startWithHeaders(t: Parameters<typeof startWithUpstream>[0]) {
  const started = await startWithUpstream(t)
  const change = (providerSpecificData: object) =>
    started.management.send('PATCH', `/routing/connections/${started.connectionId}`, {
      providerSpecificData,
    })
  const headers = { 'OpenAI-Organization': organization, 'X-Title': title }
  assert.equal((await change({ headers })).status, 200)
  return { ...started, change }
}

test('An upstream gets the header fields of its connection in place of those of the client', async (t) => {
  const { upstream, call } = await startWithHeaders(t)
  const headers = { 'openai-organization': 'theirs', 'x-title': 'theirs', baggage: 'a' }
  assert.equal((await call('/chat/completions', body, { headers })).status, 200)
  const messages = { ...body, max_tokens: 5 }
  assert.equal((await call('/messages', messages, { headers })).status, 200)
  assert.equal(upstream.calls.length, 2)
  for (const { headers: received, rawHeaders } of upstream.calls) {
    assert.equal(received['openai-organization'], organization)
    assert.equal(received['x-title'], title)
    assert.equal(received.authorization, `Bearer ${upstream.key}`)
    assert.ok(!rawHeaders.includes('theirs'))
  }
  assert.equal(upstream.calls[0]?.headers.baggage, 'a')
})

test('Errors, answers and logs do not contain the values', async (t) => {
  const { upstream, call, management, lines, change, connectionId } = await startWithHeaders(t)
  const texts: string[] = []
  for (const status of [400, 404, 429]) {
    upstream.behave = failing(
      status,
      { message: `no ${organization} here` },
      { 'x-o': organization },
    )
    const { text, headers } = await call('/chat/completions', body)
    assert.match(text, /no \*\*\* here/)
    texts.push(text, JSON.stringify(headers))
  }
  const fresh = await change({ headers: { 'OpenAI-Organization': organization, 'x-new': 'a' } })
  upstream.behave = (_, response) => sendJson(response, 200, { ok: true }, { 'x-o': organization })
  const { status, headers } = await call('/chat/completions', body)
  assert.equal(status, 200)
  texts.push(JSON.stringify([headers, fresh.body, lines]))
  for (const path of ['/routing', '/routing/pauses', '/failures', '/calls', '/routing/export']) {
    texts.push(JSON.stringify(await management.done('GET', path)))
  }
  texts.push(
    JSON.stringify(await management.done('POST', `/routing/connections/${connectionId}/test`)),
  )
  for (const text of texts) assert.ok(!text.includes(organization), text.slice(0, 300))
})

test('The values stay at their address', async (t) => {
  const { upstream, call, change } = await startWithHeaders(t)
  const { port } = new URL(upstream.origin)
  const baseUrl = `http://localhost:${port}/v1`
  const data = fieldsOf(upstream).providerSpecificData
  assert.equal((await change({ ...data, baseUrl })).status, 400)
  assert.equal((await call('/chat/completions', body)).status, 200)
  assert.equal(upstream.calls[0]?.headers['openai-organization'], organization)
})

test('A connection with another header field is not paused', async (t) => {
  const { upstream, call, change } = await startWithHeaders(t)
  upstream.behave = failing(401, {})
  assert.equal((await call('/chat/completions', body)).status, 502)
  upstream.behave = (_, response) => sendJson(response, 200, { ok: true })
  assert.equal((await call('/chat/completions', body)).status, 503)
  assert.equal((await change({ headers: { 'OpenAI-Organization': 'org-2' } })).status, 200)
  assert.equal((await call('/chat/completions', body)).status, 200)
})

/** What gateways that can be upstreams, and hosts of models, read from the header. */
const steering = [
  ...['x-portkey-provider', 'x-portkey-config', 'x-portkey-custom-host', 'x-portkey-api-key'],
  ...['helicone-target-url', 'helicone-auth', 'x-litellm-tags', 'x-litellm-timeout'],
  ...[
    'cf-aig-authorization',
    'cf-aig-skip-cache',
    'x-bf-vk',
    'x-goog-request-params',
    'x-hf-bill-to',
  ],
  ...[
    'azureml-model-deployment',
    'ocp-apim-subscription-key',
    'x-amzn-bedrock-guardrailidentifier',
  ],
  ...[
    'openai-organization',
    'openai-project',
    'anthropic-workspace-id',
    'x-forwarded-host',
    'x-other',
  ],
]

test('The features of SDKs reach the upstream, and nothing that could steer it', async (t) => {
  const { upstream, url } = await startWithUpstream(t)
  const features = {
    ...{ 'openai-beta': 'assistants=v2', 'anthropic-beta': 'context-1m-2025-08-07' },
    ...{ 'anthropic-dangerous-direct-browser-access': 'true', 'x-app': 'cli', session_id: 'c' },
    ...{ 'x-client-request-id': 'r', 'idempotency-key': 'i', 'x-grok-conv-id': 'c' },
    ...{
      originator: 'codex_cli_rs',
      'x-codex-turn-state': 's',
      'http-referer': 'https://a.example',
    },
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  }
  const openAi = new OpenAI({
    ...{ baseURL: `${url}/ai/v1`, apiKey: modelsApiKey, organization: 'o', project: 'p' },
    defaultHeaders: { ...features, ...Object.fromEntries(steering.map((name) => [name, 'x'])) },
  })
  await openAi.chat.completions.create({ model: 'lab/big', messages: [] })
  const sent = upstream.calls[0]?.headers ?? {}
  for (const [name, value] of Object.entries(features)) assert.equal(sent[name], value, name)
  for (const name of steering) assert.equal(sent[name], undefined, name)
  assert.match(String(sent['user-agent']), /^OpenAI\/JS/)
  const stainless = Object.keys(sent).filter((name) => name.startsWith('x-stainless-'))
  assert.ok(stainless.length >= 6, String(stainless))
})
