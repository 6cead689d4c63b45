import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import OpenAI from 'openai'
import { sendJson } from '../fakes/strict-upstream.ts'
import { type Calling, modelsApiKey, startCalling } from '../support/calling.ts'

/** A gateway with a connection for each upstream, which lists what `lists` has under its name. */
async function startListing(
  t: TestContext,
  lists: Readonly<Record<string, readonly object[] | undefined>>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Calling & { list: (path?: string, headers?: object) => Promise<ListReply> }> {
  const calling = await startCalling(t, settings)
  for (const [name, elements] of Object.entries(lists)) {
    // Undefined: it hangs.
    const server = createServer((_, response) => {
      if (elements !== undefined) sendJson(response, 200, { data: elements })
    }).listen(0, '127.0.0.1')
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const providerSpecificData = { baseUrl: `http://127.0.0.1:${port}/v1` }
    await calling.connect(name, { apiKey: 'k', providerSpecificData })
  }
  const list = async (path = '', headers: object = bearer(modelsApiKey)) => {
    const reply = await fetch(`${calling.url}/ai/v1/models${path}`, { headers: { ...headers } })
    const body = (await reply.json()) as ListReply['body']
    return {
      status: reply.status,
      headers: reply.headers,
      body,
      ids: body.data?.map(({ id }) => id),
    }
  }
  return { ...calling, list }
}

interface ListReply {
  readonly status: number
  readonly headers: Headers
  readonly ids: readonly string[] | undefined
  readonly body: {
    readonly data?: readonly { readonly id: string }[]
    // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came.
    readonly [field: string]: any
  }
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const anthropic = { 'x-api-key': modelsApiKey, 'anthropic-version': '2023-06-01' }

const big = {
  ...{ id: 'big', name: 'Big', created: 1_700_000_000, context_length: 100_000 },
  architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
  ...{ supported_parameters: ['tools', 'reasoning'], pricing: { prompt: '0.000001' } },
}

async function keyFor(calling: Calling, ...models: string[]): Promise<string> {
  const { secret } = await calling.management.done('POST', '/model-keys', { name: 'k', models })
  return String(secret)
}

test('The list has all kinds, combos and aliases, with what is known about them', async (t) => {
  const calling = await startListing(t, { lab: [big, { id: 'embed-1' }] })
  const { management, list, url } = calling
  await management.done('POST', '/routing/combos', { name: 'smart', models: ['lab/big'] })
  await management.done('POST', '/routing/model-aliases', { name: 'mine', target: 'lab/big' })
  const { body, ids, headers } = await list()
  assert.deepEqual(ids, ['smart', 'lab/big', 'lab/embed-1', 'mine'])
  assert.equal(headers.get('access-control-allow-origin'), '*')
  const { id: _, name: __, ...facts } = big
  const entry = { object: 'model', owned_by: 'lab', type: 'llm', display_name: 'Big', name: 'Big' }
  assert.deepEqual(body.data?.[1], { ...entry, id: 'lab/big', ...facts })
  const { created, ...embed } = Object(body.data?.[2])
  assert.deepEqual(embed, {
    ...{ id: 'lab/embed-1', object: 'model' },
    ...{ owned_by: 'lab', type: 'embedding' },
  })
  assert.ok(Math.abs(created - Date.now() / 1_000) < 60)
  assert.deepEqual((await list('?type=embedding')).ids, ['lab/embed-1'])
  assert.deepEqual((await list('/?type=tts&x=1')).ids, [])
  const wrong = await list('?type=video')
  assert.deepEqual([wrong.status, wrong.body.error.type], [400, 'invalid_request_error'])

  for (const id of ['mine', 'lab/big', 'lab%2Fbig', 'big', 'smart']) {
    const { body: found } = await list(`/${id}`)
    assert.deepEqual([found.id, found.context_length], [decodeURIComponent(id), 100_000])
  }
  const none = await list('/none')
  assert.deepEqual([none.status, none.body.error.code], [404, 'model_not_found'])
  // The contract's list is as before.
  const { data } = (await (
    await fetch(`${url}/v1/models`, { headers: bearer(modelsApiKey) })
  ).json()) as { data: object[] }
  assert.deepEqual(
    data.map((one) => Object.keys(one).join()),
    Array(2).fill('id,object,created,owned_by'),
  )
  const preflight = await fetch(`${url}/ai/v1/models`, { method: 'OPTIONS' })
  assert.equal(preflight.headers.get('access-control-allow-headers'), 'authorization, *')
  const alias = await fetch(`${url}/v1/models/mine`, { headers: bearer(modelsApiKey) })
  assert.equal(alias.status, 404)

  const client = new OpenAI({ baseURL: `${url}/ai/v1`, apiKey: modelsApiKey })
  const read: string[] = []
  for await (const { id } of client.models.list()) read.push(id)
  assert.deepEqual(read, ids)
  assert.equal((await client.models.retrieve('lab/big')).created, 1_700_000_000)
})

test("With anthropic-version, the list has Anthropic's form and pages", async (t) => {
  const models = Array.from({ length: 45 }, (_, index) => ({
    id: `m${index}`,
    display_name: `M ${index}`,
  }))
  const { list } = await startListing(t, { lab: [...models, { id: 'embed' }] })
  const first = await list('', anthropic)
  const named = {
    type: 'model',
    id: 'lab/m0',
    display_name: 'M 0',
    created_at: '1970-01-01T00:00:00.000Z',
  }
  assert.deepEqual(first.body.data?.[0], named)
  const { has_more, first_id, last_id } = first.body
  assert.deepEqual(
    [has_more, first_id, last_id, first.ids?.length],
    [true, 'lab/m0', 'lab/m19', 20],
  )
  const pages: string[] = [...(first.ids ?? [])]
  for (let page = first; page.body.has_more; ) {
    page = await list(`?after_id=${encodeURIComponent(page.body.last_id)}`, anthropic)
    pages.push(...(page.ids ?? []))
  }
  assert.deepEqual(
    pages,
    models.map(({ id }) => `lab/${id}`),
  )
  const before = await list('?before_id=lab/m20&limit=15', anthropic)
  const { has_more: hasMore, first_id: from, last_id: to } = before.body
  assert.deepEqual([hasMore, from, to], [true, 'lab/m5', 'lab/m19'])
  assert.equal((await list('?limit=1000', anthropic)).ids?.length, 45)
  assert.equal((await list('/lab/m3', anthropic)).body.display_name, 'M 3')
  for (const query of [
    '?limit=0',
    '?limit=1001',
    '?limit=x',
    '?after_id=lab/none',
    '?type=x',
    '?limit=1&limit=2',
  ]) {
    const { status, body } = await list(query, anthropic)
    assert.deepEqual(
      [status, body.type, body.error.type],
      [400, 'error', 'invalid_request_error'],
      query,
    )
  }
  const unknown = await list('/none', anthropic)
  assert.deepEqual([unknown.status, unknown.body.error.type], [404, 'not_found_error'])
  const refused = await list('', { 'anthropic-version': '2023-06-01' })
  assert.deepEqual([refused.status, refused.body.error.type], [401, 'authentication_error'])
})

test("With client_version, the list has Codex's models as well", async (t) => {
  const { list } = await startListing(t, { lab: [big, { id: 'embed' }] })
  const { body, ids } = await list('?client_version=0.171.0')
  assert.deepEqual(ids, ['lab/big', 'lab/embed'])
  const [model, ...others] = body.models
  assert.deepEqual([model.slug, model.context_window, others], ['lab/big', 100_000, []])
  assert.deepEqual(model.input_modalities, ['text', 'image'])
})

test('A key sees what it may call, in every list and by every name, and learns nothing of others', async (t) => {
  const calling = await startListing(t, {
    lab: [{ id: 'big' }],
    secret: [{ id: 'x' }, { id: 'big' }],
  })
  const { management, list, url, call } = calling
  await management.done('POST', '/routing/combos', { name: 'smart', models: ['secret/x'] })
  await management.done('POST', '/routing/model-aliases', { name: 'hidden', target: 'secret/x' })
  const key = await keyFor(calling, 'lab/*', 'smart')
  const asBearer = bearer(key)
  const asHeader = { 'x-api-key': key }
  for (const headers of [asBearer, asHeader]) {
    assert.deepEqual((await list('', headers)).ids, ['smart', 'lab/big'])
    assert.deepEqual((await list('', { ...headers, 'anthropic-version': '1' })).ids, [
      'smart',
      'lab/big',
    ])
    const { data } = (await (await fetch(`${url}/v1/models`, { headers })).json()) as {
      data: { id: string }[]
    }
    assert.deepEqual(
      data.map(({ id }) => id),
      ['smart', 'lab/big'],
    )
  }
  const { body } = await list('?client_version=1', asBearer)
  assert.deepEqual(
    body.models.map(({ slug }: { slug: string }) => slug),
    ['smart', 'lab/big'],
  )
  assert.equal((await list('/big', asBearer)).status, 200, 'the one that it may call')
  assert.equal((await list('/big')).status, 404, 'two have it')
  const textOf = (reply: ListReply, id: string) =>
    `${reply.status} ${JSON.stringify(reply.body)}`.replace(
      `model ${decodeURIComponent(id)} `,
      'model ID ',
    )
  const nothing = textOf(await list('/none', asBearer), 'none')
  for (const id of [
    'secret/x',
    'secret%2Fnone',
    'x',
    'hidden',
    'secret/',
    'other/none',
    'tts',
    'search',
  ])
    assert.equal(textOf(await list(`/${id}`, asBearer), id), nothing, id)
  for (const id of ['secret/x', 'secret/none', 'x', 'hidden']) {
    const contract = await fetch(`${url}/v1/models/${id}`, { headers: asBearer })
    assert.equal(contract.status, 404)
    const called = await call('/chat/completions', { model: id }, { headers: asBearer })
    const message = `The model key k does not allow the model ${id}.`
    assert.deepEqual([called.status, called.json().error.message], [403, message])
  }
  for (const path of ['/v1/models/image', '/ai/v1/models?type=image'])
    assert.deepEqual(
      ((await (await fetch(url + path, { headers: asBearer })).json()) as { data: object[] }).data,
      [],
    )
})

test('A list needs a key unless a setting opens it, and wrong keys are limited', async (t) => {
  const { list, management } = await startListing(t, { lab: [big] })
  assert.deepEqual([(await list('', {})).status, (await list('/lab/big', {})).status], [401, 401])
  for (let count = 0; count < 5; count += 1)
    assert.equal((await list('', bearer(`w${count}`))).status, 401)
  assert.equal((await list('', bearer('w5'))).status, 429)
  const late = await list()
  assert.deepEqual([late.status, late.body.error.type], [429, 'rate_limit_error'])
  const expired = await management.done('POST', '/model-keys', {
    name: 'old',
    models: ['*'],
    expiresAt: '2020-01-01T00:00:00Z',
  })
  assert.match((await list('', bearer(expired.secret))).body.error.message, /old has expired/)

  const open = await startListing(t, { lab: [big, { id: 'small' }] }, { MODELS_LIST_OPEN: 'true' })
  assert.deepEqual((await open.list('', {})).ids, ['lab/big', 'lab/small'])
  assert.deepEqual((await open.list('', bearer(await keyFor(open, 'lab/small')))).ids, [
    'lab/small',
  ])
  assert.equal((await open.list('', bearer('wrong'))).status, 401)
})

test('One upstream that hangs does not make a list wait', async (t) => {
  const { list } = await startListing(t, { lab: [big], hanging: undefined })
  const time = async () => {
    const startedAtMs = performance.now()
    assert.deepEqual((await list()).ids, ['lab/big'])
    return performance.now() - startedAtMs
  }
  const first = await time()
  // The gateway waits up to 5 s for an upstream that does not respond.
  assert.ok(first > 1_400 && first < 4_900, `${first} ms`)
})

test('Without a connection nothing can be called, so nothing is listed', async (t) => {
  const { list } = await startListing(t, {})
  assert.deepEqual((await list()).ids, [])
  assert.equal((await list('/openai/gpt-5')).status, 404)
})
