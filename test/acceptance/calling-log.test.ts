import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallsReply } from '../../src/models/usage/call-log.ts'
import { StrictUpstream, sendJson, streamHead } from '../fakes/strict-upstream.ts'
import { fieldsOf, modelsApiKey, startWithUpstream } from '../support/calling.ts'
import { until } from '../support/management-client.ts'

type LoggedCall = CallsReply['calls'][number]

const secretText = 'the question nobody else may read'
const chat = (model = 'lab/big') => ({ model, messages: [{ role: 'user', content: secretText }] })

async function start(t: Parameters<typeof startWithUpstream>[0]) {
  const started = await startWithUpstream(t)
  const logged = async (query = ''): Promise<LoggedCall[]> =>
    (await started.management.done('GET', `/calls${query}`)).calls
  return { ...started, logged }
}

test('Each call is logged with its key, attempts, tokens and cost, without any text', async (t) => {
  const { call, connect, management, upstream, connectionId, logged } = await start(t)
  const providerSpecificData = { price: { input: 1_000, output: 1_000 } }
  await management.done('PATCH', `/routing/connections/${connectionId}`, { providerSpecificData })
  const { secret, key } = await management.done('POST', '/model-keys', { name: 'app' })
  const { headers } = await call('/chat/completions', chat(), {
    headers: { authorization: `Bearer ${secret}` },
  })
  const broken = await StrictUpstream.start(t)
  broken.behave = (_, response) =>
    sendJson(response, 500, { error: { message: `About ${secretText}` } })
  const brokenId = await connect('broken', fieldsOf(broken))
  const models = ['broken/big', 'lab/small']
  await management.done('POST', '/routing/combos', { name: 'smart', models })
  await call('/chat/completions', { ...chat('smart'), stream: true })
  upstream.behave = (_, response) =>
    sendJson(response, 400, { error: { message: `No: ${secretText}` } })
  await call('/chat/completions', chat())
  await call('/chat/completions', chat('lab/none'))
  await call('/chat/completions', 'no JSON')
  const calls = await logged()
  assert.doesNotMatch(JSON.stringify(calls), /nobody|No:|About|no JSON/)
  const [invalid, unknown, refused, fallback, plain] = calls
  assert.equal(plain?.id, headers['x-request-id'])
  assert.ok(Math.abs(Date.now() - Date.parse(plain?.at ?? '')) < 60_000)
  const common = { keyId: '', path: '/chat/completions', reason: null, attempts: [] }
  const none = { inputTokens: 0, outputTokens: 0, dollars: 0 }
  const shown = ({ id: _, at: __, durationMs: ___, ...rest }: LoggedCall) => ({
    ...{ ...rest, attempts: rest.attempts.map(({ ms, ...one }) => (ms >= 0 ? one : ms)) },
  })
  const answered = { connectionId, model: 'lab/big', status: 200, reason: null }
  assert.deepEqual(plain && shown(plain), {
    ...{ ...common, keyId: key.keyId, model: 'lab/big', status: 200, attempts: [answered] },
    ...{ inputTokens: 7, outputTokens: 5, dollars: 0.012 },
  })
  const failed = { connectionId: brokenId, model: 'broken/big', status: 500 }
  assert.deepEqual(fallback && shown(fallback), {
    ...{ ...common, model: 'smart', status: 200, inputTokens: 7, outputTokens: 5, dollars: 0.012 },
    attempts: [
      { ...failed, reason: fallback?.attempts[0]?.reason },
      { ...answered, model: 'lab/small' },
    ],
  })
  assert.match(fallback?.attempts[0]?.reason ?? '', /failed/)
  assert.match(refused?.reason ?? '', /refused the request/)
  assert.deepEqual([refused?.status, refused?.attempts.length], [400, 1])
  assert.deepEqual(unknown && { ...shown(unknown), reason: null }, {
    ...{ ...common, ...none, model: 'lab/none', status: 404 },
  })
  assert.deepEqual([invalid?.status, invalid?.model, invalid?.attempts], [400, '', []])
})

test('What a client leaves, and an answer that breaks off, say so', async (t) => {
  const { upstream, url, call, logged } = await start(t)
  upstream.behave = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' })
    response.write(`{"half":"${'x'.repeat(70_000)}`)
    setImmediate(() => response.destroy())
  }
  await call('/chat/completions', chat())
  const leave = new AbortController()
  upstream.behave = (_, response) => {
    response.writeHead(200, streamHead)
    leave.abort()
  }
  await assert.rejects(
    fetch(`${url}/v1/chat/completions`, {
      ...{ method: 'POST', body: JSON.stringify(chat()), signal: leave.signal },
      headers: { authorization: `Bearer ${modelsApiKey}`, 'content-type': 'application/json' },
    }),
  )
  await until(async () => (await logged()).length === 2)
  const [left, cut] = await logged()
  assert.deepEqual([left?.status, left?.attempts.length], [499, 1])
  assert.match(left?.reason ?? '', /client disconnected/)
  assert.equal(cut?.status, 200)
  assert.match(cut?.reason ?? '', /broke off/)
})

test('The log has pages, and needs a session', async (t) => {
  const { call, management, url, logged } = await start(t)
  for (let count = 0; count < 5; count += 1) await call('/chat/completions', chat())
  const all = await logged()
  const seen: string[] = []
  let next: string | null = ''
  while (next !== null) {
    const after: string = next === '' ? '' : `&after=${next}`
    const page: CallsReply = await management.done('GET', `/calls?limit=2${after}`)
    seen.push(...page.calls.map(({ id }) => id))
    next = page.next
  }
  assert.deepEqual(
    seen,
    all.map(({ id }) => id),
  )
  assert.equal(new Set(seen).size, 5)
  for (const query of ['?limit=0', '?limit=101', '?after=x', '?after=1', '?other=1']) {
    const { status, body } = await management.send('GET', `/calls${query}`)
    assert.equal(status, 400, query)
    assert.equal(typeof body.message, 'string')
  }
  const headers = { authorization: `Bearer ${modelsApiKey}` }
  assert.equal((await fetch(`${url}/-/api/calls`, { headers })).status, 401)
})
