import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failing, sendJson } from '../fakes/strict-upstream.ts'
import { fieldsOf, startWithUpstream } from '../support/calling.ts'

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
  const headers = { 'openai-organization': 'theirs', 'x-title': 'theirs', 'x-other': 'a' }
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
  assert.equal(upstream.calls[0]?.headers['x-other'], 'a')
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
