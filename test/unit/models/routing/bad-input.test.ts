import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { badAliases, badCombos, badConnections, badCustomModels, long, many } from './bad-items.ts'
import {
  openRouting,
  openTestDatabase,
  type RoutingGateway,
  type TestDatabase,
} from './routing-fixture.ts'

type Send = Parameters<RoutingGateway['send']>
type Method = Send[0]

const state = {
  connections: [
    { id: 'one', provider: 'p', name: 'One', apiKey: 'sk-0123456789abcdef', priority: 1 },
    { id: 'two', provider: 'p', priority: 2 },
  ],
  combos: [{ name: 'fast', models: ['p/m'] }, { name: 'slow' }],
  customModels: [
    { id: 'm/1', providerAlias: 'p' },
    { id: 'm2', providerAlias: 'p' },
  ],
  modelAliases: { mine: 'p/m', yours: 'p/m' },
}

type Row = readonly [
  method: Method,
  path: string,
  body: unknown,
  field: string | undefined,
  status?: number,
]

const whole = (set: string, items: unknown) => ({ ...state, [set]: items })

const rows: readonly Row[] = [
  ...[
    'PUT ',
    'POST /import',
    'POST /connections',
    'PATCH /connections/one',
    'POST /combos',
    'PUT /combos/fast',
  ]
    .map((route) => route.split(' ') as [Method, string])
    .flatMap(([method, path]): Row[] => [
      [method, path, [], undefined],
      [method, path, '"text"', undefined],
      [method, path, 'null', undefined],
      [method, path, '{"half":', undefined],
      [method, path, '{"__proto__": {}}', undefined],
    ]),

  ...['connections', 'combos', 'customModels', 'modelAliases'].flatMap((set): Row[] => [
    ['PUT', '', { ...state, [set]: undefined }, set],
    ['PUT', '', whole(set, null), set],
    ['PUT', '', whole(set, 'x'), set],
  ]),
  ['PUT', '', { ...state, revision: 5 }, 'revision'],
  ['PUT', '', whole('connections', [null]), 'connections[0]'],
  ['PUT', '', whole('connections', [{ id: 'a' }]), 'connections[0].provider'],
  ['PUT', '', whole('connections', [{ id: 'a/b', provider: 'p' }]), 'connections[0].id'],
  [
    'PUT',
    '',
    whole('connections', [{ provider: 'p', createdAtMs: 'now' }]),
    'connections[0].createdAtMs',
  ],
  [
    'PUT',
    '',
    whole(
      'connections',
      many(2, () => ({ id: 'a', provider: 'p' })),
    ),
    'connections[1].id',
  ],
  // Another connection's mask, and one without an id.
  [
    'PUT',
    '',
    whole('connections', [{ id: 'two', provider: 'p', apiKey: '****cdef' }]),
    'connections[0].apiKey',
  ],
  [
    'PUT',
    '',
    whole('connections', [{ provider: 'p', apiKey: '****cdef' }]),
    'connections[0].apiKey',
  ],
  [
    'PUT',
    '',
    whole(
      'connections',
      many(1_001, () => ({ provider: 'p' })),
    ),
    'connections',
  ],
  ['PUT', '', whole('combos', [{ name: 'a' }, { name: 'b' }, { name: 'a' }]), 'combos[2].name'],
  [
    'PUT',
    '',
    whole(
      'combos',
      many(1_001, (index) => ({ name: `c${index}` })),
    ),
    'combos',
  ],
  [
    ...[
      'PUT',
      '',
      whole(
        'customModels',
        [null, 'llm'].map((type) => ({ id: 'm', providerAlias: 'p', type })),
      ),
    ],
    'customModels[1].id',
  ] as unknown as Row,
  [
    'PUT',
    '',
    whole(
      'customModels',
      many(10_001, (index) => ({ id: `${index}`, providerAlias: 'p' })),
    ),
    'customModels',
  ],
  ['PUT', '', whole('modelAliases', { a: 5 }), 'modelAliases.a'],
  ['PUT', '', whole('modelAliases', { 'a/b': 'm' }), 'modelAliases["a/b"]'],
  ['PUT', '', whole('modelAliases', { '': 'p/m' }), 'modelAliases[""]'],
  ['PUT', '', whole('modelAliases', []), 'modelAliases'],
  [
    'PUT',
    '',
    whole('modelAliases', Object.fromEntries(many(10_001, (index) => [`a${index}`, 'p/m']))),
    'modelAliases',
  ],
  [
    'PUT',
    '',
    whole(
      'customModels',
      many(9_000, (index) => ({ id: index + long(290), providerAlias: long(200) })),
    ),
    undefined,
    409,
  ],

  ...badConnections.flatMap(([fields, field]): Row[] => [
    [
      'PUT',
      '',
      whole('connections', [state.connections[0], { id: 'two', provider: 'p', ...fields }]),
      `connections[1]${field.startsWith('[') ? '' : '.'}${field}`,
    ],
    ['POST', '/connections', { provider: 'p', ...fields }, field],
    ['PATCH', '/connections/two', fields, field],
  ]),
  ['POST', '/connections', {}, 'provider'],
  ['POST', '/connections', { provider: 'p', kind: 'openai-compatible' }, 'provider'],
  ['POST', '/connections', { kind: 'other-compatible' }, 'kind'],
  ['POST', '/connections', { provider: 'p', id: 'mine' }, 'id'],
  ['PATCH', '/connections/one', { id: 'other' }, 'id'],
  ['PATCH', '/connections/one', { provider: null }, 'provider'],
  ['PATCH', '/connections/one', { apiKey: '****cdeg' }, 'apiKey'],
  ['POST', '/connections/reorder', {}, 'ids'],
  ['POST', '/connections/reorder', { ids: [] }, 'ids'],
  ['POST', '/connections/reorder', { ids: 'one' }, 'ids'],
  ['POST', '/connections/reorder', { ids: ['one', 5] }, 'ids[1]'],
  ['POST', '/connections/reorder', { ids: ['two', 'three'] }, 'ids[1]'],
  ['POST', '/connections/reorder', { ids: ['two', 'two'] }, 'ids[1]'],

  ...badCombos.flatMap(([combo, field]): Row[] => [
    ['PUT', '', whole('combos', [{ name: 'x' }, combo]), `combos[1].${field}`],
    ['POST', '/combos', combo, field],
    ['PUT', '/combos/fast', combo, field],
  ]),
  ['POST', '/combos', { name: 'fast' }, 'name', 409],
  ['PUT', '/combos/fast', { name: 'slow' }, 'name', 409],

  ...badCustomModels.flatMap(([model, field]): Row[] => [
    ['PUT', '', whole('customModels', [model]), `customModels[0].${field}`],
    ['POST', '/custom-models', model, field],
    ['PUT', '/custom-models/llm/p/m2', model, field],
  ]),
  ['POST', '/custom-models', { id: 'm2', providerAlias: 'p', type: 'llm' }, 'id', 409],
  ['PUT', '/custom-models/llm/p/m2', { id: 'm/1', providerAlias: 'p' }, 'id', 409],
  ['PUT', '/custom-models/video/p/m2', { id: 'm2', providerAlias: 'p' }, 'type'],
  ['DELETE', '/custom-models/video/p/m2', undefined, 'type'],

  ...badAliases.flatMap(([alias, field]): Row[] => [
    ['POST', '/model-aliases', alias, field],
    ['PUT', '/model-aliases/mine', alias, field],
  ]),
  ['POST', '/model-aliases', { name: 'mine', target: 'p/m' }, 'name', 409],
  ['PUT', '/model-aliases/mine', { name: 'yours', target: 'p/m' }, 'name', 409],

  ...(
    [
      ['PATCH', '/connections/none', { name: 'x' }],
      ['DELETE', '/connections/none', undefined],
      ['POST', '/connections/none/enable', undefined],
      ['POST', '/connections/none/disable', undefined],
      ['POST', '/connections/none/test', undefined],
      ['PUT', '/combos/none', { name: 'none' }],
      ['DELETE', '/combos/none', undefined],
      ['PUT', '/custom-models/llm/p/none', { id: 'none', providerAlias: 'p' }],
      ['PUT', '/custom-models/tts/p/m2', { id: 'm2', providerAlias: 'p' }],
      ['DELETE', '/custom-models/llm/q/m2', undefined],
      ['PUT', '/model-aliases/none', { name: 'none', target: 'p/m' }],
      ['DELETE', '/model-aliases/none', undefined],
    ] as const
  ).map(([method, path, body]): Row => [method, path, body, undefined, 404]),

  ['POST', '/import', {}, undefined],
  ['POST', '/import', { settings: {} }, undefined],
  ['POST', '/import?mode=add', { combos: [] }, 'mode'],
  ['POST', '/import?mode=merge&x=1', { combos: [] }, 'x'],
  ['POST', '/import', { providerConnections: {} }, 'providerConnections'],
  ['POST', '/import', { providerConnections: ['x'] }, 'providerConnections[0]'],
  ...(
    [
      [{ id: 5 }, 'id'],
      [{ id: undefined }, 'id'],
      [{ provider: undefined }, 'provider'],
      [{ provider: ['p'] }, 'provider'],
      [{ name: {} }, 'name'],
      [{ isActive: 'no' }, 'isActive'],
      [{ priority: 'first' }, 'priority'],
      [{ apiKey: { v: 1 } }, 'apiKey'],
      [{ apiKey: '****1234' }, 'apiKey'],
      [{ createdAt: 5 }, 'createdAt'],
      [{ providerSpecificData: 'x' }, 'providerSpecificData'],
      [{ providerSpecificData: { baseUrl: 'nowhere' } }, 'providerSpecificData.baseUrl'],
      [{ providerSpecificData: { prefix: 5 } }, 'providerSpecificData.prefix'],
      [{ providerSpecificData: { enabledModels: [5] } }, 'providerSpecificData.enabledModels[0]'],
    ] as const
  ).map(
    ([fields, field]): Row => [
      'POST',
      '/import',
      { combos: [{ name: 'new' }], providerConnections: [{ id: 'a', provider: 'p', ...fields }] },
      `providerConnections[0].${field}`,
    ],
  ),
  [
    'POST',
    '/import',
    { providerConnections: many(2, () => ({ id: 'a', provider: 'p' })) },
    'providerConnections[1].id',
  ],
  ['POST', '/import', { providerNodes: [{ id: 'n', baseUrl: 5 }] }, 'providerNodes[0].baseUrl'],
  ['POST', '/import', { combos: [{ name: 'a b' }] }, 'combos[0].name'],
  ['POST', '/import', { combos: [{ name: 'a' }, { name: 'a' }] }, 'combos[1].name'],
  ['POST', '/import', { combos: [{ name: 'a', models: [5] }] }, 'combos[0].models[0]'],
  ['POST', '/import', { customModels: [{ id: 'm' }] }, 'customModels[0].providerAlias'],
  [
    'POST',
    '/import',
    { customModels: many(2, () => ({ id: 'm', providerAlias: 'p' })) },
    'customModels[1].id',
  ],
  ['POST', '/import', { modelAliases: { a: { model: 'p/m' } } }, 'modelAliases.a'],
  ['POST', '/import', { modelAliases: { a: `p/${long(500)}` } }, 'modelAliases.a'],
  ['POST', '/import', { combos: [{ name: '..' }] }, 'combos[0].name'],
  ['POST', '/import', { customModels: [{ id: '.', providerAlias: 'p' }] }, 'customModels[0].id'],
  ['POST', '/import', { modelAliases: ['p/m'] }, 'modelAliases'],
]

describe('routing API, bad input', () => {
  let testDatabase: TestDatabase
  let gateway: RoutingGateway
  before(async () => {
    testDatabase = await openTestDatabase()
    gateway = await openRouting(testDatabase.database)
    assert.equal((await gateway.send('PUT', '', state)).status, 200)
  })
  after(() => testDatabase.remove())

  for (const [method, path, body, field, status = 400] of rows) {
    const said = (typeof body === 'string' ? body : JSON.stringify(body)) ?? 'nothing'
    test(`${method} ${path} answers ${status}, ${field}, to ${said.slice(0, 80)}`, async () => {
      const before = await gateway.opened()
      const answer = await gateway.send(method, path, body, {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      })
      assert.equal(answer.status, status, answer.text)
      assert.equal(answer.body.field, field, answer.text)
      assert.equal(typeof answer.body.message, 'string')
      assert.ok(answer.text.length < 1_000)
      assert.deepEqual(await gateway.opened(), before)
    })
  }

  test('PUT and import answer 413 to a body of more than 8 MiB', async () => {
    const body = `{"combos":"${long(8 * 1024 * 1024)}"}`
    const headers = { 'content-type': 'application/json' }
    assert.equal((await gateway.send('PUT', '', body, headers)).status, 413)
    assert.equal((await gateway.send('POST', '/import', body, headers)).status, 413)
  })

  test('POST /combos answers 409 when there are as many as there may be', async () => {
    const full = whole(
      'combos',
      many(1_000, (index) => ({ name: `c${index}` })),
    )
    assert.equal((await gateway.send('PUT', '', full)).status, 200)
    const answer = await gateway.send('POST', '/combos', { name: 'more' })
    assert.deepEqual([answer.status, answer.body.field], [409, 'combos'])
    assert.equal((await gateway.send('GET', '')).body.combos.length, 1_000)
  })
})
