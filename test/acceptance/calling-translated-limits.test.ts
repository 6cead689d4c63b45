import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAiEvents, sendEvents } from '../fakes/strict-upstream.ts'
import { startWithUpstream } from '../support/calling.ts'

const toMessages = {
  model: 'lab/big',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hi' }],
}

test('Bodies that would take many times their size in memory are not translated', async (t) => {
  const { call, upstream } = await startWithUpstream(t)
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
  const wide = `[${'[],'.repeat(200_000)}[]]`
  for (const schema of [deep, wide]) {
    const body = `{"model":"lab/big","max_tokens":1,"messages":[],"tools":[{"name":"f","input_schema":{"a":${schema}}}]}`
    assert.equal((await call('/messages', body)).status, 413)
  }
  assert.equal(upstream.calls.length, 0)
})

test('Translated calls count for the limits of their keys', async (t) => {
  const { call, upstream, management } = await startWithUpstream(t)
  upstream.behave = (_, response) => sendEvents(response, openAiEvents('big'))
  const { secret } = await management.done('POST', '/model-keys', {
    ...{ name: 'k', models: ['lab/big'] },
    limits: { requestsPerMinute: null, tokensPerMinute: 10, tokensPerMonth: null },
  })
  const headers = { authorization: `Bearer ${secret}` }
  const forbidden = await call('/messages', { ...toMessages, model: 'lab/small' }, { headers })
  assert.equal(forbidden.status, 403)
  assert.equal((await call('/messages', { ...toMessages, stream: true }, { headers })).status, 200)
  assert.equal((await call('/messages', toMessages, { headers })).status, 429)
})
