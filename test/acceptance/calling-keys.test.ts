import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anthropicEvents, sendJson, streamHead } from '../fakes/strict-upstream.ts'
import { modelsApiKey, startCalling, startWithUpstream } from '../support/calling.ts'
import { until } from '../support/management-client.ts'

const chat = { model: 'lab/big' }
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

test('Without any key nobody may call, and the answer says what to set', async (t) => {
  const { call } = await startCalling(t, { MODELS_API_KEY: '' })
  for (const options of [bearer(''), bearer('anything'), bearer('undefined')]) {
    const { status, headers, json } = await call('/chat/completions', chat, options)
    assert.equal(status, 401)
    assert.equal(json().error.type, 'authentication_error')
    assert.match(json().error.message, /MODELS_API_KEY.*model key/)
    assert.equal(headers['www-authenticate'], 'Bearer')
  }
  const messages = await call('/messages', chat, bearer('x'))
  assert.deepEqual(messages.json().error.type, 'authentication_error')
})

test('A wrong key is refused before the body is read', async (t) => {
  const { call, upstream } = await startWithUpstream(t)
  for (const key of [
    '',
    'wrong',
    `${modelsApiKey}x`,
    modelsApiKey.slice(1),
    `bmk_aaaaaaaaaaaa_${'a'.repeat(43)}`,
  ]) {
    const { status } = await call('/chat/completions', 'no JSON', {
      headers: { authorization: `Bearer ${key}` },
    })
    assert.equal(status, 401, key)
  }
  assert.deepEqual(upstream.calls, [])
})

test('Who guesses MODELS_API_KEY is refused for a while; model keys keep working', async (t) => {
  const { call, management } = await startWithUpstream(t)
  const { secret } = await management.done('POST', '/model-keys', { name: 'app' })
  for (let count = 0; count < 5; count += 1) {
    assert.equal((await call('/chat/completions', chat, bearer(`guess-${count}`))).status, 401)
  }
  const { status, headers } = await call('/chat/completions', chat, bearer('guess-6'))
  assert.equal(status, 429)
  assert.ok(Number(headers['retry-after']) > 800)
  assert.equal((await call('/chat/completions', chat)).status, 429)
  assert.equal((await call('/chat/completions', chat, bearer(secret))).status, 200)
})

test('A model key calls what it may until it is deleted, and its secret is stored nowhere', async (t) => {
  const { call, management, upstream, lines } = await startWithUpstream(
    t,
    {},
    { MODELS_API_KEY: '' },
  )
  const { key, secret } = await management.done('POST', '/model-keys', {
    name: 'app',
    models: ['lab/b*', 'other'],
  })
  assert.match(secret, /^bmk_[a-z2-7]{12}_[A-Za-z0-9_-]{43}$/)
  const xApiKey = { headers: { authorization: '', 'x-api-key': secret } }
  assert.equal((await call('/chat/completions', chat, xApiKey)).status, 200)
  const other = await call('/chat/completions', { model: 'lab/small' }, bearer(secret))
  assert.equal(other.status, 403)
  assert.equal(other.json().error.code, 'model_not_allowed')
  const { keys } = await management.done('GET', '/model-keys')
  assert.deepEqual(keys, [key])
  const stored = JSON.stringify([keys, lines])
  // Without `bmk_` and the ID, which is no secret.
  assert.ok(!stored.includes(secret.slice('bmk_'.length + 13)))
  await management.done('PATCH', `/model-keys/${key.keyId}`, { models: ['*'] })
  assert.equal(
    (await call('/chat/completions', { model: 'lab/small' }, bearer(secret))).status,
    200,
  )
  assert.equal(upstream.calls.length, 2)
  await management.done('DELETE', `/model-keys/${key.keyId}`)
  assert.equal((await call('/chat/completions', chat, bearer(secret))).status, 401)
  assert.equal((await management.send('DELETE', `/model-keys/${key.keyId}`)).status, 404)
})

test('A model key that has expired is refused', async (t) => {
  const { call, management } = await startWithUpstream(t)
  const given = { name: 'old', expiresAt: '2001-01-01T00:00:00Z' }
  const { secret, key } = await management.done('POST', '/model-keys', given)
  const refused = await call('/chat/completions', chat, bearer(secret))
  assert.equal(refused.status, 401)
  assert.match(refused.json().error.message, /old has expired/)
  const changed = await management.done('PATCH', `/model-keys/${key.keyId}`, { expiresAt: null })
  assert.equal(changed.expiresAt, null)
  assert.equal((await call('/chat/completions', chat, bearer(secret))).status, 200)
})

test('The limits of a key are in force', async (t) => {
  const { call, management } = await startWithUpstream(t)
  const cases = [
    [{ requestsPerMinute: 2 }, 2, /requests a minute/],
    // Each answer reports 12 tokens.
    [{ tokensPerMinute: 13 }, 2, /tokens a minute/],
    [{ tokensPerMonth: 12 }, 1, /tokens for this month/],
  ] as const
  for (const [limits, allowed, message] of cases) {
    const { secret } = await management.done('POST', '/model-keys', { name: 'limited', limits })
    for (let count = 0; count < allowed; count += 1) {
      assert.equal((await call('/chat/completions', chat, bearer(secret))).status, 200)
    }
    await until(async () => {
      const { status, text, headers } = await call('/chat/completions', chat, bearer(secret))
      if (status === 200) return false
      assert.equal(status, 429)
      assert.match(text, message)
      assert.ok(Number(headers['retry-after']) >= 1)
      return true
    })
  }
})

test('A stream that reports no tokens is estimated for the limits of a key', async (t) => {
  const { call, management, upstream } = await startWithUpstream(t)
  const { secret } = await management.done('POST', '/model-keys', {
    name: 'limited',
    limits: { tokensPerMonth: 50 },
  })
  upstream.behave = (_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: {"x":"${'y'.repeat(1_000)}"}\n\n`)
  }
  assert.equal((await call('/chat/completions', chat, bearer(secret))).status, 200)
  assert.equal((await call('/chat/completions', chat, bearer(secret))).status, 429)
})

test('A call that its client leaves before the answer counts for the limits of a key', async (t) => {
  const { call, management, upstream, url } = await startWithUpstream(t)
  const { secret } = await management.done('POST', '/model-keys', {
    name: 'limited',
    limits: { tokensPerMonth: 50 },
  })
  const left = new AbortController()
  upstream.behave = () => left.abort()
  await assert.rejects(
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...chat, padding: 'y'.repeat(1_000) }),
      signal: left.signal,
    }),
  )
  await upstream.calls[0]?.left
  upstream.behave = (_, response) => void response.writeHead(500).end()
  await until(async () => (await call('/chat/completions', chat, bearer(secret))).status === 429)
})

test('A client that leaves a stream before its tokens are reported does not use it for nothing', async (t) => {
  const { call, management, upstream, url } = await startWithUpstream(t, { flavour: 'anthropic' })
  const { secret } = await management.done('POST', '/model-keys', {
    name: 'limited',
    limits: { tokensPerMonth: 200 },
  })
  const [start = '', delta = ''] = anthropicEvents('big')
  upstream.behave = (_, response) => {
    // One token of output so far, says the beginning of the stream.
    response.writeHead(200, streamHead).write(start)
    response.write(delta.repeat(1_000))
  }
  const left = new AbortController()
  const reply = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': secret, 'content-type': 'application/json' },
    body: JSON.stringify({ ...chat, stream: true }),
    signal: left.signal,
  })
  let received = 0
  for await (const piece of reply.body ?? []) {
    received += piece.length
    if (received > 500 * delta.length) break
  }
  left.abort()
  await upstream.calls[0]?.left
  upstream.behave = (_, response) => void response.writeHead(500).end()
  await until(async () => (await call('/messages', chat, bearer(secret))).status === 429)
})

test('Many calls at once do not use many times the tokens that a key may use', async (t) => {
  const { call, management, upstream } = await startWithUpstream(t)
  const usage = { prompt_tokens: 500, completion_tokens: 500 }
  for (const limits of [{ tokensPerMinute: 3_000 }, { tokensPerMonth: 3_000 }]) {
    const { secret } = await management.done('POST', '/model-keys', { name: 'limited', limits })
    let running = 0
    upstream.calls.length = 0
    upstream.behave = async (_, response) => {
      running += 1
      assert.ok(running <= 3)
      await new Promise(setImmediate)
      running -= 1
      sendJson(response, 200, { choices: [1], usage })
    }
    // They do not say how much they use at most. Those that fit wait for the others.
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => call('/chat/completions', chat, bearer(secret))),
    )
    const served = replies.filter(({ status }) => status === 200).length
    // The allowance of a minute grows meanwhile.
    assert.ok(served >= 3 && served <= ('tokensPerMonth' in limits ? 3 : 5), String(served))
    assert.equal(upstream.calls.length, served)
    for (const { status, headers } of replies) {
      assert.ok(status === 200 || (status === 429 && Number(headers['retry-after']) >= 1))
    }
  }
})

test('One key cannot take all memory for bodies', async (t) => {
  const { call, management, upstream } = await startWithUpstream(t, {}, { MODELS_BODY_MIB: '1' })
  const secretOf = async (name: string) =>
    (await management.done('POST', '/model-keys', { name })).secret as string
  const [greedy, other] = [await secretOf('greedy'), await secretOf('other')]
  const waiting: (() => void)[] = []
  upstream.behave = (_, response) => void waiting.push(() => sendJson(response, 200, { ok: true }))
  const large = { ...chat, padding: 'x'.repeat(900_000) }
  const calls = Array.from({ length: 8 }, () => call('/chat/completions', large, bearer(greedy)))
  const refused = await Promise.race(calls)
  assert.equal(refused.status, 429)
  assert.match(
    refused.json().error.message,
    /this (?:key|address) need too much memory\. Send fewer/,
  )
  assert.equal(refused.headers['retry-after'], '1')
  await until(() => waiting.length === 4)
  // All are from one address here, which has some memory left.
  const small = call('/chat/completions', { ...chat, padding: 'x'.repeat(100_000) }, bearer(other))
  await until(() => waiting.length === 5)
  for (const answer of waiting) answer()
  assert.equal((await small).status, 200)
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 200, 200, 200, 429, 429, 429, 429])
  // What they held is free again.
  upstream.behave = (_, response) => sendJson(response, 200, { ok: true })
  assert.equal((await call('/chat/completions', large, bearer(greedy))).status, 200)
})

test('Input of a key that is not valid is refused with its field', async (t) => {
  const { management } = await startCalling(t)
  for (const [body, field] of [
    [{}, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'a\n' }, 'name'],
    [{ name: 'a', models: [] }, 'models'],
    [{ name: 'a', models: [''] }, 'models[0]'],
    [{ name: 'a', limits: { tokensPerMonth: 0 } }, 'limits.tokensPerMonth'],
    [{ name: 'a', expiresAt: 'soon' }, 'expiresAt'],
    [{ name: 'a', secret: 'mine' }, 'secret'],
  ] as const) {
    const reply = await management.send('POST', '/model-keys', body)
    assert.equal(reply.status, 400)
    assert.equal(reply.body.field, field)
  }
  assert.equal((await management.send('PATCH', '/model-keys/none', { name: 'a' })).status, 404)
})

interface UsageRow {
  readonly keyId: string
  readonly connectionId: string
  readonly model: string
  readonly from: string
  readonly requests: number
  readonly errors: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly receivedBytes: number
  readonly sentBytes: number
  readonly firstByteMs: number
}

test('Usage is summed by key, connection, model and day', async (t) => {
  const { call, management, connectionId, upstream, url } = await startWithUpstream(
    t,
    {},
    { METRICS_TOKEN: 'm' },
  )
  const { secret, key } = await management.done('POST', '/model-keys', { name: 'app' })
  await call('/chat/completions', chat)
  await call('/chat/completions', { ...chat, stream: true })
  await call('/chat/completions', { model: 'lab/small' }, bearer(secret))
  upstream.behave = (_, response) => void response.writeHead(500).end()
  await call('/chat/completions', { model: 'lab/small' })
  const { rows, isCut } = await management.done('GET', '/usage')
  assert.equal(isCut, false)
  const find = (keyId: string, model: string) =>
    rows.filter((row: UsageRow) => row.keyId === keyId && row.model === model) as UsageRow[]
  const sum = (some: readonly UsageRow[], field: keyof UsageRow) =>
    some.reduce((total, row) => total + Number(row[field]), 0)
  // A day or an hour may end meanwhile.
  const kinds = (some: readonly UsageRow[]) =>
    new Set(some.map(({ keyId, model }) => `${keyId} ${model}`)).size
  assert.equal(kinds(rows), 3)
  const own = find('', 'lab/big')
  const fields = ['requests', 'errors', 'inputTokens', 'outputTokens'] as const
  assert.deepEqual(
    fields.map((field) => sum(own, field)),
    [2, 0, 14, 10],
  )
  assert.equal(own[0]?.connectionId, connectionId)
  assert.match(own[0]?.from ?? '', /T00:00:00\.000Z$/)
  assert.ok(sum(own, 'receivedBytes') > 0 && sum(own, 'sentBytes') > 0)
  assert.ok(sum(own, 'firstByteMs') >= 0)
  assert.equal(sum(find(key.keyId, 'lab/small'), 'requests'), 1)
  // It is tried once more, because it is the only one.
  assert.equal(sum(find('', 'lab/small'), 'errors'), 2)
  const hours = await management.done('GET', '/usage?by=hour&from=2001-01-01T00:00:00Z')
  assert.equal(kinds(hours.rows), 3)
  assert.equal((await management.send('GET', '/usage?from=soon')).status, 400)
  const past = await management.done('GET', '/usage?to=2001-01-01T00:00:00Z')
  assert.deepEqual(past.rows, [])
  const first = await management.done('GET', '/usage?to=0000-01-01T00:00:00Z')
  assert.equal(first.from, '0000-01-01T00:00:00.000Z')
  const metrics = await (
    await fetch(`${url}/-/metrics`, { headers: { authorization: 'Bearer m' } })
  ).text()
  assert.match(
    metrics,
    /bucketry_model_attempts_total\{path="\/chat\/completions",outcome="ok"\} 3/,
  )
  assert.match(
    metrics,
    /bucketry_model_attempts_total\{path="\/chat\/completions",outcome="moment"\} 2/,
  )
  assert.match(metrics, /bucketry_model_tokens_total\{direction="input"\} 21/)
})

test('The management of calls needs a session', async (t) => {
  const { url } = await startCalling(t)
  for (const path of ['/model-keys', '/usage', '/routing/pauses']) {
    const reply = await fetch(`${url}/-/api${path}`, {
      headers: { authorization: `Bearer ${modelsApiKey}` },
    })
    assert.equal(reply.status, 401)
  }
})

test('MODELS_API_KEY cannot be guessed at the model list', async (t) => {
  const { url } = await startCalling(t)
  const list = async (path: string, key: string) => {
    const { status, headers } = await fetch(`${url}/v1/models${path}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    return [status, headers.get('retry-after')]
  }
  assert.deepEqual(await list('', modelsApiKey), [200, null])
  for (const path of ['', '/tts', '/none', '/', '/image'])
    assert.deepEqual(await list(path, 'wrong'), [401, null])
  assert.deepEqual(await list('', 'another'), [401, '900'])
  assert.deepEqual(await list('', modelsApiKey), [401, '900'])
})
