import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { sendEvents, sendJson } from '../fakes/strict-upstream.ts'
import { startWithUpstream } from '../support/calling.ts'
import { until } from '../support/management-client.ts'

const chat = { model: 'lab/big' }
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })
// Each answer reports 7 tokens of input and 5 of output.
const price = { input: 10, output: 20 }

type Started = Awaited<ReturnType<typeof startWithUpstream>>

async function setPrice({ management, connectionId }: Started, given: object | null) {
  const providerSpecificData = { price: given }
  await management.done('PATCH', `/routing/connections/${connectionId}`, { providerSpecificData })
}

async function dollarsOf({ management }: Started, model = 'lab/big'): Promise<number> {
  const { rows } = await management.done('GET', '/usage')
  return rows
    .filter((row: { model: string }) => row.model === model)
    .reduce((sum: number, { dollars }: { dollars: number }) => sum + dollars, 0)
}

const close = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual}, not ${expected}`)

test('Calls cost what their tokens cost, in the connection, a custom model, or as reported', async (t) => {
  const started = await startWithUpstream(t)
  const { call, management, upstream } = started
  await call('/chat/completions', chat)
  close(await dollarsOf(started), 0)
  await setPrice(started, price)
  await call('/chat/completions', chat)
  await call('/chat/completions', { ...chat, stream: true })
  close(await dollarsOf(started), 2 * 170e-6)
  // The price of one model, under the prefix of its provider.
  await setPrice(started, null)
  const custom = { providerAlias: 'lab', id: 'small', price: { input: 1, output: 1 } }
  const made = await management.done('POST', '/routing/custom-models', custom)
  assert.deepEqual(made.price, custom.price)
  await call('/chat/completions', { model: 'lab/small' })
  close(await dollarsOf(started, 'lab/small'), 12e-6)
  // The upstream knows best.
  upstream.behave = (_, response) =>
    sendJson(response, 200, { usage: { prompt_tokens: 1, completion_tokens: 1, cost: 0.5 } })
  await call('/chat/completions', { model: 'lab/small' })
  close(await dollarsOf(started, 'lab/small'), 0.5 + 12e-6)
})

test('A call that reports no tokens, or fails, costs an estimate or nothing', async (t) => {
  const started = await startWithUpstream(t)
  const { call, upstream } = started
  await setPrice(started, { input: 0, output: 4 })
  const event = { choices: [{ delta: { content: 'y'.repeat(1_000) } }] }
  upstream.behave = (_, response) => sendEvents(response, [`data: ${JSON.stringify(event)}\n\n`])
  await call('/chat/completions', chat)
  const estimate = await dollarsOf(started)
  assert.ok(estimate >= 0.001 && estimate < 0.0012, String(estimate))
  upstream.behave = (_, response) => sendJson(response, 400, { error: { message: 'No' } })
  await call('/chat/completions', chat)
  close(await dollarsOf(started), estimate)
})

for (const [what, fields, atOnce] of [
  ['limit their answers', { max_tokens: 1_000 }, 3],
  ['do not limit their answers', {}, 1],
  ['limit them in a field that the upstream ignores', { max_output_tokens: 1 }, 1],
  ['want several answers', { max_tokens: 1_000, n: 3 }, 1],
] as const) {
  test(`A limit in US dollars holds for calls at once that ${what}`, async (t) => {
    const started = await startWithUpstream(t)
    const { call, management, upstream } = started
    await setPrice(started, { input: 0, output: 1_000 })
    const limits = { dollarsPerMonth: 3 }
    const { secret, key } = await management.done('POST', '/model-keys', { name: 'a', limits })
    assert.equal(key.limits.dollarsPerMonth, 3)
    let [running, most] = [0, 0]
    upstream.behave = async (_, response) => {
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
      const usage = { prompt_tokens: 1, completion_tokens: 900 }
      sendJson(response, 200, { choices: [1], usage })
    }
    const body = { ...chat, ...fields }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => call('/chat/completions', body, bearer(secret))),
    )
    assert.ok(most <= atOnce, `${most} at once`)
    // The last one may exceed the limit.
    const served = replies.filter(({ status }) => status === 200).length
    assert.equal(served, 4)
    for (const { status, text, headers } of replies) {
      if (status === 200) continue
      assert.equal(status, 429)
      assert.match(text, /3 US dollars for this month/)
      assert.ok(Number(headers['retry-after']) > 1)
    }
    await until(async () => Math.abs((await dollarsOf(started)) - 0.9 * served) < 1e-9)
  })
}

test('A limit of tokens that is given twice, or in another case, is refused', async (t) => {
  const { call, upstream } = await startWithUpstream(t)
  for (const fields of ['"max_tokens":1,"max_tokens":9', '"Max_Tokens":9', '"n":1,"n":9']) {
    const body = `{"model":"lab/big",${fields}}`
    assert.equal((await call('/chat/completions', body)).status, 400, fields)
  }
  assert.deepEqual(upstream.calls, [])
})

test('A key with a limit in US dollars calls no model without a price', async (t) => {
  const started = await startWithUpstream(t)
  const { call, management, upstream } = started
  const limits = { dollarsPerMonth: 0.5 }
  const { secret } = await management.done('POST', '/model-keys', { name: 'limited', limits })
  const { status, json } = await call('/chat/completions', chat, bearer(secret))
  assert.equal(status, 403)
  assert.match(json().error.message, /price of the model lab\/big is not known/)
  assert.equal(upstream.calls.length, 0)
  await setPrice(started, { input: 0, output: 0 })
  for (let count = 0; count < 3; count += 1)
    assert.equal((await call('/chat/completions', chat, bearer(secret))).status, 200)
})

test('Prices and limits that are not numbers are refused with their field', async (t) => {
  const { management, connectionId } = await startWithUpstream(t)
  for (const [given, field] of [
    ['3, 15', 'providerSpecificData.price'],
    [{ input: 3 }, 'providerSpecificData.price.output'],
    [{ input: -1, output: 1 }, 'providerSpecificData.price.input'],
    [{ ...price, cached: 1 }, 'providerSpecificData.price.cached'],
  ] as const) {
    const providerSpecificData = { price: given }
    const path = `/routing/connections/${connectionId}`
    const { status, body } = await management.send('PATCH', path, { providerSpecificData })
    assert.deepEqual([status, body.field], [400, field])
  }
  for (const dollarsPerMonth of [0, -1, '5', 1e12]) {
    const body = { name: 'a', limits: { dollarsPerMonth } }
    const reply = await management.send('POST', '/model-keys', body)
    assert.deepEqual([reply.status, reply.body.field], [400, 'limits.dollarsPerMonth'])
  }
})

test('The price of an upstream that lists prices is used', async (t) => {
  const upstream = createServer((request, response) => {
    const pricing = { prompt: '0.000003', completion: '0.000015', request: '0' }
    const usage = { prompt_tokens: 1_000, completion_tokens: 100 }
    const isList = request.url === '/v1/models'
    const content = isList ? { data: [{ id: 'big', pricing }] } : { choices: [1], usage }
    request.resume().on('end', () => sendJson(response, 200, content))
  })
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  t.after(() => upstream.close())
  const started = await startWithUpstream(t)
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`
  await started.connect('router', { apiKey: 'k', providerSpecificData: { baseUrl } })
  assert.equal((await started.call('/chat/completions', { model: 'router/big' })).status, 200)
  close(await dollarsOf(started, 'router/big'), 0.0045)
})
