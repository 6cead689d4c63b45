import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ConnectionAnswer,
  connectionChange as connectionChangeSchema,
  newConnection,
} from '../../../../src/models/routing/routing-schemas.ts'
import {
  connectionChange,
  connectionDraft,
  connectionFields,
  newConnectionBody,
  newConnectionDraft,
} from '../../../../web/src/models/connections/connection-draft.ts'
import {
  connectionDetail,
  movedIds,
} from '../../../../web/src/models/connections/connection-text.ts'

const stored: ConnectionAnswer = {
  id: 'kqzvwmnphjylsrtgxiok',
  provider: 'openai-compatible-lab-kzwqhmnpvtrs',
  name: 'Lab',
  isActive: true,
  apiKey: '****3f9a',
  apiKeyState: 'stored',
  providerSpecificData: { baseUrl: 'http://10.0.0.5/v1', prefix: 'lab', enabledModels: ['a', 'b'] },
}

test('newConnectionBody of a catalogue provider contains only the filled fields', () => {
  const body = newConnectionBody({ ...newConnectionDraft, provider: ' openai ', apiKey: 'sk-1' })
  assert.deepEqual(body, { provider: 'openai', apiKey: 'sk-1' })
  newConnection.parse(body)
})

test('newConnectionBody of a custom endpoint contains its kind instead of a provider', () => {
  const body = newConnectionBody({
    source: 'openai-compatible',
    provider: 'left from before',
    name: 'Lab',
    baseUrl: 'http://10.0.0.5/v1 ',
    prefix: 'lab',
    enabledModels: 'big\nsmall\n',
  })
  assert.deepEqual(body, {
    kind: 'openai-compatible',
    name: 'Lab',
    providerSpecificData: {
      baseUrl: 'http://10.0.0.5/v1',
      prefix: 'lab',
      enabledModels: ['big', 'small'],
    },
  })
  newConnection.parse(body)
})

const emptied = { weight: null, price: null, translate: null, headers: null }

test('connectionChange of an unchanged draft keeps everything, including the key', () => {
  const body = connectionChange(connectionDraft(stored))
  assert.deepEqual(body, {
    ...{ name: 'Lab', priority: null },
    providerSpecificData: { ...stored.providerSpecificData, ...emptied },
  })
  connectionChangeSchema.parse(body)
})

test('A draft keeps priority and weight, and leaves text to the service', () => {
  const ranked = {
    ...stored,
    priority: 2,
    providerSpecificData: {
      ...{ ...stored.providerSpecificData, weight: 3 },
      price: { input: 3, output: 15, cacheWrite: 3.75 },
    },
  }
  const draft = connectionDraft(ranked)
  const body = connectionChangeSchema.parse(connectionChange(draft))
  assert.deepEqual([body.priority, body.providerSpecificData?.weight], [2, 3])
  assert.equal(draft.price, '3, 15, , 3.75')
  assert.deepEqual(body.providerSpecificData?.price, ranked.providerSpecificData.price)
  assert.match(connectionDetail(ranked), /priority 2 · weight 3$/)
  for (const weight of ['three', '1.5', '-1', '0']) {
    const { error } = connectionChangeSchema.safeParse(connectionChange({ ...draft, weight }))
    assert.deepEqual(error?.issues[0]?.path, ['providerSpecificData', 'weight'], weight)
  }
  for (const price of ['3', '3, x', ', 3', '1, 2, 3, 4, 5']) {
    const { error } = connectionChangeSchema.safeParse(connectionChange({ ...draft, price }))
    assert.deepEqual(error?.issues[0]?.path.slice(0, 2), ['providerSpecificData', 'price'], price)
  }
  const added = newConnectionBody({ ...newConnectionDraft, provider: 'openai', priority: '1 ' })
  assert.deepEqual(added, { provider: 'openai', priority: 1 })
})

test('A draft says whether calls are translated', () => {
  const off = {
    ...stored,
    providerSpecificData: { ...stored.providerSpecificData, translate: false },
  }
  const draft = connectionDraft(off)
  const body = connectionChangeSchema.parse(connectionChange(draft))
  assert.equal(body.providerSpecificData?.translate, false)
  assert.match(connectionDetail(off), /not translated$/)
  const on = connectionChangeSchema.parse(connectionChange({ ...draft, translate: '' }))
  assert.equal(on.providerSpecificData?.translate, null)
  const added = newConnectionBody({ ...newConnectionDraft, provider: 'openai', translate: 'off' })
  assert.deepEqual(added, { provider: 'openai', providerSpecificData: { translate: false } })
})

test('A draft has one header field per line, and leaves other text to the service', () => {
  const headers = { 'X-Title': '****', 'x-url': '****5/v1' }
  const titled = { ...stored, providerSpecificData: { ...stored.providerSpecificData, headers } }
  const draft = connectionDraft(titled)
  assert.equal(draft.headers, 'X-Title: ****\nx-url: ****5/v1')
  const sent = (text: string) =>
    connectionChangeSchema.safeParse(connectionChange({ ...draft, headers: text }))
  assert.deepEqual(sent(draft.headers).data?.providerSpecificData?.headers, headers)
  assert.deepEqual(sent(' a : http://b:1 \n\n').data?.providerSpecificData?.headers, {
    a: 'http://b:1',
  })
  assert.equal(sent(' ').data?.providerSpecificData?.headers, null)
  assert.match(connectionDetail(titled), /2 header fields$/)
  for (const text of ['X-Title', 'a: 1\na: 2', 'a: 1\nb']) {
    assert.deepEqual(sent(text).error?.issues[0]?.path, ['providerSpecificData', 'headers'], text)
  }
})

test('connectionChange removes emptied fields', () => {
  const draft = { name: '', apiKey: '', baseUrl: ' ', prefix: '', enabledModels: '\n' }
  assert.deepEqual(connectionChange(draft), {
    ...{ name: null, priority: null },
    providerSpecificData: { baseUrl: null, prefix: null, enabledModels: null, ...emptied },
  })
})

test('connectionChange sends a typed key, or null to remove the stored one', () => {
  const draft = connectionDraft(stored)
  assert.deepEqual(Object.entries(connectionChange({ ...draft, apiKey: 'new' }))[1], [
    'apiKey',
    'new',
  ])
  const removing = connectionChange({ ...draft, apiKey: 'new', removesKey: 'yes' })
  assert.deepEqual(Object.entries(removing)[1], ['apiKey', null])
})

test('connectionFields offer to remove a key only if one is stored', () => {
  const names = (connection: ConnectionAnswer) =>
    connectionFields(connection).map(({ name }) => name)
  assert.ok(names(stored).includes('removesKey'))
  assert.ok(names({ ...stored, apiKeyState: 'unreadable' }).includes('removesKey'))
  assert.ok(!names({ ...stored, apiKeyState: 'none' }).includes('removesKey'))
})

test('connectionDetail describes a connection in one line', () => {
  assert.equal(
    connectionDetail(stored),
    'OpenAI-compatible · http://10.0.0.5/v1 · prefix lab · key ****3f9a · 2 models selected',
  )
  assert.equal(
    connectionDetail({ id: 'a', provider: 'openai', isActive: true, apiKeyState: 'none' }),
    '',
  )
})

test('movedIds swaps an id with its neighbour, except beyond the ends', () => {
  assert.deepEqual(movedIds(['a', 'b', 'c'], 'b', -1), ['b', 'a', 'c'])
  assert.deepEqual(movedIds(['a', 'b', 'c'], 'b', 1), ['a', 'c', 'b'])
  assert.equal(movedIds(['a', 'b'], 'a', -1), undefined)
  assert.equal(movedIds(['a', 'b'], 'b', 1), undefined)
  assert.equal(movedIds(['a', 'b'], 'x', 1), undefined)
})
