import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serviceKinds } from '../../../../src/models/list/routing-inputs.ts'
import {
  build,
  connection,
  ids,
  node,
  table,
  upstreamOf,
  withData,
} from '../../../support/model-list-table.ts'

const staticChat = ['alpha/chat-1', 'alpha/voice-of-reason', 'dt/dt-chat', 'dt/dt-reason']

describe('an entry', () => {
  // docs/contract/model-list.md, "Entries".
  test('has only the specified fields', () => {
    assert.deepEqual(build({ connections: [connection('deepthink')] })[0], {
      id: 'dt/dt-chat',
      object: 'model',
      created: 1_700_000_000,
      owned_by: 'dt',
    })
  })

  test('of a web kind have it, others do not', () => {
    const entries = build({ connections: [connection('finder')], kinds: [...serviceKinds] })
    assert.deepEqual(entries, [
      {
        id: 'finder/search',
        object: 'model',
        created: 1_700_000_000,
        owned_by: 'finder',
        kind: 'webSearch',
      },
      {
        id: 'finder/fetch',
        object: 'model',
        created: 1_700_000_000,
        owned_by: 'finder',
        kind: 'webFetch',
      },
    ])
    const [painter] = build({ connections: [connection('own-ai')], kinds: ['image'] })
    assert.equal(painter !== undefined && 'kind' in painter, false)
  })
})

// docs/contract/model-list.md, "Inputs" and "Order of connections".
table('active connections', [
  ...[undefined, null, 0, '', true, 'false'].map((isActive) => ({
    title: `isActive ${JSON.stringify(isActive)} is active`,
    connections: [connection('deepthink', { isActive })],
    expected: ['dt/dt-chat', 'dt/dt-reason'],
  })),
  {
    title: 'isActive false is not, so that the static catalogue is listed',
    connections: [connection('deepthink', { isActive: false })],
    expected: staticChat,
  },
  {
    title: 'rows that are none count as nothing',
    connections: [null, 5, 'alpha', [], {}, { id: 'x' }, { id: 7, provider: 'alpha' }],
    combos: [null, {}, { name: 5 }, { name: ' ' }, 7],
    customModels: [null, { id: 5, providerAlias: 'alpha' }, { id: 'x' }, 'x'],
    modelAliases: null,
    expected: staticChat,
  },
  {
    title: 'a null row among good ones leaves those',
    connections: [null, connection('deepthink')],
    modelAliases: { a: null, b: 5, c: 'dt/aliased' },
    expected: ['dt/dt-chat', 'dt/dt-reason', 'dt/aliased'],
  },
  {
    title: 'fields of wrong types count as absent',
    connections: [
      connection('deepthink', {
        priority: 'high',
        apiKey: 5,
        ...withData({ prefix: 5, baseUrl: {}, enabledModels: 'dt-chat' }),
      }),
    ],
    expected: ['dt/dt-chat', 'dt/dt-reason'],
  },
  {
    title: 'providerSpecificData null counts as absent',
    connections: [connection('deepthink', { providerSpecificData: null })],
    expected: ['dt/dt-chat', 'dt/dt-reason'],
  },
])

// docs/contract/model-list.md, "Combos".
describe('combos', () => {
  const combos = [
    { name: 'plain' },
    { name: 'nothing', kind: null },
    { name: 'chat', kind: 'llm' },
    { name: 'pictures', kind: 'image' },
    { name: 'search', kind: 'webSearch' },
    { name: 'fetch', kind: 'webFetch' },
    { name: 'film', kind: 'video' },
  ]

  test('come first', () => {
    const listed = ids({ combos, connections: [connection('deepthink')] })
    assert.deepEqual(listed, ['plain', 'nothing', 'chat', 'dt/dt-chat', 'dt/dt-reason'])
    assert.deepEqual(ids({ combos }), ['plain', 'nothing', 'chat', ...staticChat])
  })

  test('of a web kind carry it', () => {
    assert.deepEqual(
      build({ combos, kinds: ['webSearch', 'webFetch'] }).map(({ id, owned_by, kind }) => {
        return [id, owned_by, kind]
      }),
      [
        ['search', 'combo', 'webSearch'],
        ['fetch', 'combo', 'webFetch'],
      ],
    )
  })

  test('of another kind do not', () => {
    const [pictures] = build({ combos, kinds: ['image'] })
    assert.deepEqual(pictures, {
      id: 'pictures',
      object: 'model',
      created: 1_700_000_000,
      owned_by: 'combo',
    })
  })
})

// docs/contract/model-list.md, "Without active connections".
table('no active connection', [
  { title: 'lists the static models of the kind', kinds: ['llm'], expected: staticChat },
  {
    title: 'lists ids as the catalogue has them',
    kinds: ['image'],
    expected: ['alpha/painter', 'own/own-ai/painter'],
  },
  { title: 'lists speech to text', kinds: ['stt'], expected: ['alpha/listener'] },
  { title: 'lists image to text', kinds: ['imageToText'], expected: ['alpha/reader'] },
  { title: 'takes tts models from the models alone', kinds: ['tts'], expected: ['alpha/speaker'] },
  { title: 'has no web entries', kinds: ['webSearch', 'webFetch'], expected: [] },
  {
    title: 'adds custom models of absent type and of type llm',
    customModels: [
      { id: ' one ', providerAlias: ' x ' },
      { id: 'two', providerAlias: 'x', type: 'llm' },
      { id: 'three', providerAlias: 'x', type: null },
      { id: 'four', providerAlias: 'x', type: 'embedding' },
      { id: 'five', providerAlias: 'x', type: 'video' },
      { id: ' ', providerAlias: 'x' },
      { id: 'six', providerAlias: '' },
      { providerAlias: 'x' },
    ],
    expected: [...staticChat, 'x/one', 'x/two', 'x/three'],
  },
  {
    title: 'adds them by their type, not by their name',
    customModels: [{ id: 'text-embedding-mine', providerAlias: 'x' }],
    expected: [...staticChat, 'x/text-embedding-mine'],
  },
  {
    title: 'adds them only when llm is asked for',
    customModels: [{ id: 'text-embedding-mine', providerAlias: 'x' }],
    kinds: ['embedding'],
    expected: ['alpha/vectors', 'own/own-ai/vectors'],
  },
  {
    title: 'does not look at model aliases',
    modelAliases: { fast: 'alpha/quick' },
    expected: staticChat,
  },
])

test('owned_by is the alias, and for a custom model its providerAlias', () => {
  const entries = build({ customModels: [{ id: 'one', providerAlias: 'x' }] })
  assert.deepEqual(
    entries.map(({ owned_by }) => owned_by),
    ['alpha', 'alpha', 'dt', 'dt', 'x'],
  )
})

// docs/contract/model-list.md, "Connected providers".
table('the connection of a provider', [
  {
    title: 'is the first active one by priority',
    connections: [
      connection('deepthink', { priority: 2, ...withData({ prefix: 'second' }) }),
      connection('deepthink', { priority: 1, ...withData({ prefix: 'first' }) }),
      connection('deepthink', { priority: 0, isActive: false }),
    ],
    expected: ['first/dt-chat', 'first/dt-reason'],
  },
  {
    title: 'without priority comes last',
    connections: [
      connection('deepthink', withData({ prefix: 'none' })),
      connection('deepthink', { priority: null, ...withData({ prefix: 'null' }) }),
      connection('deepthink', { priority: 5_000, ...withData({ prefix: 'late' }) }),
    ],
    expected: ['late/dt-chat', 'late/dt-reason'],
  },
  {
    title: 'with priority 0 comes before 1',
    connections: [
      connection('deepthink', { priority: 1, ...withData({ prefix: 'one' }) }),
      connection('deepthink', { priority: 0, ...withData({ prefix: 'zero' }) }),
    ],
    expected: ['zero/dt-chat', 'zero/dt-reason'],
  },
  {
    title: 'is the older one of two with the same priority',
    connections: [
      connection('deepthink', { priority: 1, createdAtMs: 9, ...withData({ prefix: 'young' }) }),
      connection('deepthink', { priority: 1, createdAtMs: 3, ...withData({ prefix: 'old' }) }),
    ],
    expected: ['old/dt-chat', 'old/dt-reason'],
  },
  {
    title: 'decides the order of the providers',
    connections: [
      connection('alpha', { priority: 3, ...withData({ enabledModels: ['a'] }) }),
      connection('deepthink', { priority: 2, ...withData({ enabledModels: ['d'] }) }),
      connection('alpha', { priority: 1, ...withData({ enabledModels: ['b'] }) }),
    ],
    expected: ['alpha/b', 'dt/d'],
  },
  {
    title: 'counts only when serviceKinds intersect the filter',
    kinds: ['webFetch'],
    connections: [connection('seeker'), connection('finder')],
    expected: ['finder/fetch'],
  },
  {
    title: 'of an unknown provider serves llm alone',
    kinds: ['embedding'],
    connections: [connection('elsewhere', withData({ enabledModels: ['text-embedding-9'] }))],
    expected: [],
  },
  {
    title: 'of other kinds alone makes an empty list, not the static one',
    connections: [connection('finder')],
    expected: [],
  },
])

// docs/contract/model-list.md, "Output alias".
table('the output alias', [
  {
    title: 'is the prefix, trimmed',
    connections: [connection('deepthink', withData({ prefix: '  mine ' }))],
    expected: ['mine/dt-chat', 'mine/dt-reason'],
  },
  ...['', '   ', null, 7].map((prefix) => ({
    title: `is the provider alias when the prefix is ${JSON.stringify(prefix)}`,
    connections: [connection('deepthink', withData({ prefix }))],
    expected: ['dt/dt-chat', 'dt/dt-reason'],
  })),
  {
    title: 'is the id of a provider that the catalogue does not have',
    connections: [connection('elsewhere', withData({ enabledModels: ['m'] }))],
    expected: ['elsewhere/m'],
  },
])

// docs/contract/model-list.md, "Base ids".
table('the base ids', [
  {
    title: 'are the enabled models, each once, without blank and non-string ones',
    connections: [
      connection(
        'deepthink',
        withData({ enabledModels: ['b', '', 'a', 'b', '  ', null, 5, {}, 'dt-chat', 'a'] }),
      ),
    ],
    expected: ['dt/b', 'dt/a', 'dt/dt-chat'],
  },
  {
    title: 'are the static ones when the array is empty',
    connections: [connection('deepthink', withData({ enabledModels: [] }))],
    expected: ['dt/dt-chat', 'dt/dt-reason'],
  },
  {
    title: 'are none when the array has blank ones alone',
    connections: [connection('deepthink', withData({ enabledModels: ['', ' '] }))],
    expected: [],
  },
])

// docs/contract/model-list.md, "Ids from the upstream".
table('ids of an upstream', [
  {
    title: 'are listed where the base list is empty',
    ...upstreamOf(['m1', 'm2']),
    expected: [`${node}/m1`, `${node}/m2`],
  },
  {
    title: 'are not where there are enabled models',
    connections: [{ ...connection(node, withData({ enabledModels: ['m'] })), id: 'lab' }],
    upstreamIds: new Map([['lab', ['m1']]]),
    expected: [`${node}/m`],
  },
  { title: 'may be missing', connections: [connection(node)], expected: [] },
])
