import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseCatalogue } from '../../../../src/models/catalogue/catalogue.ts'
import {
  buildModelList,
  type ModelListInputs,
} from '../../../../src/models/list/build-model-list.ts'
import { ModelIndex } from '../../../../src/models/list/resolve-model.ts'
import { type ServiceKind, serviceKinds } from '../../../../src/models/list/routing-inputs.ts'
import { connection, node, type Rows, withData } from '../../../support/model-list-table.ts'
import { smallCatalogue } from '../../../support/small-catalogue.ts'

const allKinds = new Set(serviceKinds)
const chat: ReadonlySet<ServiceKind> = new Set(['llm'])

function inputsOf(rows: Rows): ModelListInputs {
  return {
    filter: allKinds,
    connections: [],
    combos: [],
    customModels: [],
    modelAliases: {},
    catalogue: smallCatalogue,
    upstreamIds: new Map(),
    nowMs: 0,
    ...rows,
  } as ModelListInputs
}

const indexOf = (rows: Rows) => new ModelIndex(inputsOf(rows))

/** `connection own-id` of each target; undefined if nothing is known of the id. */
function targetsOf(rows: Rows, id: string, kinds = chat): string[] | undefined {
  const found = indexOf(rows).resolve(id, kinds)
  return found?.targets.map(({ connection: { id }, ownId }) => `${id} ${ownId}`)
}

const named = (id: string, provider: string, fields: object = {}) => ({
  ...connection(provider, fields),
  id,
})

describe('resolution', () => {
  const pieces = [
    'alpha',
    'dt',
    'deepthink',
    'own',
    'own-ai',
    node,
    'lab',
    'chat-1',
    'painter',
    'embed-x',
    'speaker',
    ' ',
    'a/b',
  ]
  const piece = fc.constantFrom(...pieces)
  const model = fc.oneof(
    piece,
    fc.tuple(piece, piece).map((parts) => parts.join('/')),
  )
  const kind = fc.option(fc.constantFrom<ServiceKind>(...serviceKinds), { nil: undefined })
  const rows = fc.record({
    connections: fc.array(
      fc.record({
        id: fc.constantFrom('c1', 'c2', 'c3', 'c4'),
        provider: fc.constantFrom(
          'alpha',
          'deepthink',
          'own-ai',
          'finder',
          'seeker',
          node,
          'anthropic-compatible-a',
          'gone',
        ),
        isActive: fc.constantFrom(true, true, false),
        priority: fc.option(fc.nat(3), { nil: null }),
        providerSpecificData: fc.record({
          prefix: fc.constantFrom(undefined, '', 'lab', 'alpha', ' dt '),
          enabledModels: fc.option(fc.array(model, { maxLength: 3 }), { nil: undefined }),
        }),
      }),
      { maxLength: 5 },
    ),
    combos: fc.array(
      fc.record({
        name: fc.constantFrom('smart', 'fast', 'a/b', 'dt/dt-chat'),
        kind,
        models: fc.array(fc.oneof(model, fc.constantFrom('smart', 'mine')), { maxLength: 4 }),
      }),
      { maxLength: 3 },
    ),
    customModels: fc.array(fc.record({ id: model, providerAlias: piece, type: kind }), {
      maxLength: 3,
    }),
    modelAliases: fc.dictionary(fc.constantFrom('mine', 'yours', 'smart'), model),
    upstreamIds: fc.constantFrom(
      new Map(),
      new Map([
        ['c1', ['a/b', 'lab/x', 'text-embed-1']],
        ['c2', ['chat-1']],
      ]),
    ),
  })

  const listedIds = (given: Rows) => new Set(buildModelList(inputsOf(given)).map(({ id }) => id))

  test('finds every id of the lists, and nothing else but names of aliases', () => {
    const property = fc.property(rows, fc.array(model), (given, others) => {
      const index = indexOf(given as Rows)
      const listed = listedIds(given as Rows)
      const ids = [...listed, ...others].filter((id) => !Object.hasOwn(given.modelAliases, id))
      for (const id of ids) assert.equal(index.resolve(id, chat) !== undefined, listed.has(id), id)
    })
    fc.assert(property, { numRuns: 3_000 })
  })

  test('leads to listed ids only, from aliases and combos too', () => {
    const property = fc.property(rows, (given) => {
      const index = indexOf(given as Rows)
      const listed = listedIds(given as Rows)
      const names = [...Object.keys(given.modelAliases), ...given.combos.map(({ name }) => name)]
      const targets = names.flatMap((name) => index.resolve(name, chat)?.targets ?? [])
      for (const { listedId } of targets) assert.ok(listed.has(listedId), listedId)
    })
    fc.assert(property, { numRuns: 1_000 })
  })

  test('a model with a connection has it as its first target', () => {
    assert.deepEqual(targetsOf({ connections: [named('one', 'deepthink')] }, 'dt/dt-chat'), [
      'one dt-chat',
    ])
    assert.deepEqual(targetsOf({}, 'dt/dt-chat'), [])
    assert.equal(targetsOf({}, 'dt-chat'), undefined)
  })

  test('all active connections of a provider are targets, by priority, if they have the model', () => {
    const connections = [
      named('third', 'deepthink'),
      named('second', 'deepthink', { priority: 2 }),
      named('first', 'deepthink', { priority: 1 }),
      named('off', 'deepthink', { priority: 0, isActive: false }),
      named('other', 'deepthink', withData({ enabledModels: ['dt-reason'] })),
      named('same', 'deepthink', withData({ enabledModels: ['deepthink/dt-chat'] })),
    ]
    assert.deepEqual(targetsOf({ connections }, 'dt/dt-chat'), [
      'first dt-chat',
      'second dt-chat',
      'third dt-chat',
      'same dt-chat',
    ])
  })

  test('the provider gets its own id of the model', () => {
    const own = [named('own', 'own-ai')]
    assert.deepEqual(targetsOf({ connections: own }, 'own/painter'), ['own own-ai/painter'])
    assert.deepEqual(targetsOf({ connections: own, modelAliases: { a: 'own/painter' } }, 'a'), [
      'own own-ai/painter',
    ])
    const lab = named('lab', node, withData({ prefix: 'lab' }))
    const upstreamIds = new Map([['lab', ['lab/big', 'small', `${node}/mid`]]])
    const rows = { connections: [lab], upstreamIds }
    assert.deepEqual(targetsOf(rows, 'lab/big'), ['lab lab/big'])
    assert.deepEqual(targetsOf(rows, 'lab/small'), ['lab small'])
    assert.deepEqual(targetsOf(rows, 'lab/mid'), ['lab mid'])
    const enabled = [
      named('dt', 'deepthink', withData({ enabledModels: ['dt/dt-chat', 'dt/new'] })),
    ]
    assert.deepEqual(targetsOf({ connections: enabled }, 'dt/dt-chat'), ['dt dt-chat'])
  })

  test('a combo is its models in order; combos and aliases in it too, none twice around', () => {
    const rows = {
      connections: [named('dt', 'deepthink'), named('al', 'alpha')],
      combos: [
        { name: 'smart', models: ['alpha/chat-1', 'unknown/x', 'mine', 'inner', 'smart'] },
        { name: 'inner', models: ['smart', 'dt/dt-reason'] },
        { name: 'empty' },
      ],
      modelAliases: { mine: 'deepthink/dt-chat', round: 'x/y' },
    }
    assert.deepEqual(targetsOf(rows, 'smart'), ['al chat-1', 'dt dt-chat', 'dt dt-reason'])
    assert.deepEqual(targetsOf(rows, 'empty'), [])
    assert.equal(targetsOf(rows, 'round'), undefined)
    assert.equal(targetsOf(rows, 'toString'), undefined)
  })

  test('combos that name each other take no time', () => {
    const names = Array.from({ length: 100 }, (_, index) => `c${index}`)
    const combos = names.map((name) => ({ name, models: names }))
    assert.deepEqual(targetsOf({ combos }, 'c0'), [])
  })

  test('an id of two kinds is that of the path', () => {
    const connections = [
      named('one', node, withData({ prefix: 'x', enabledModels: ['speaker'] })),
      named('two', 'alpha', withData({ prefix: 'x', enabledModels: ['alpha/speaker'] })),
    ]
    assert.deepEqual(targetsOf({ connections }, 'x/speaker'), ['one speaker'])
    assert.deepEqual(targetsOf({ connections }, 'x/speaker', new Set(['tts'])), ['two speaker'])
    assert.equal(
      indexOf({ connections: [named('f', 'finder')] }).resolve('finder/search', chat)?.isWeb,
      true,
    )
  })
})

test('The price is that of the connection, a custom model, or the catalogue', () => {
  const facts = { cost: [3, 15, 0.3] }
  const models = [{ id: 'chat-1', facts }, { id: 'chat-2' }]
  const catalogue = parseCatalogue([
    { name: 'priced.json', text: JSON.stringify([{ id: 'alpha', alias: 'a', models }]) },
  ])
  const priceOf = (rows: Rows, id: string) => {
    const [target] =
      new ModelIndex({ ...inputsOf(rows), catalogue }).resolve(id, chat)?.targets ?? []
    return target?.price
  }
  const connections = [named('one', 'alpha')]
  const known = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: undefined }
  assert.deepEqual(priceOf({ connections }, 'a/chat-1'), known)
  assert.equal(priceOf({ connections }, 'a/chat-2'), undefined)
  const price = { input: 1, output: 2 }
  const unknown = { cacheRead: undefined, cacheWrite: undefined }
  for (const providerAlias of ['alpha', 'a']) {
    const customModels = [{ id: 'chat-1', providerAlias, price }]
    assert.deepEqual(priceOf({ connections, customModels }, 'a/chat-1'), { ...price, ...unknown })
    const own = [named('one', 'alpha', withData({ price: { input: 0, output: 0 } }))]
    assert.equal(priceOf({ connections: own, customModels }, 'a/chat-1')?.input, 0)
  }
  // Stored by hand: what is no price has no effect.
  for (const odd of [5, '3', { input: 1 }, { input: -1, output: 1 }, { input: '1', output: 1 }]) {
    const rows = { connections: [named('one', 'alpha', withData({ price: odd }))] }
    assert.deepEqual(priceOf(rows as Rows, 'a/chat-1'), known)
  }
})
