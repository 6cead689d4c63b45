import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cpuMsOf } from '../../../support/cpu-time.ts'
import {
  build,
  connection,
  ids,
  node,
  table,
  upstreamOf,
  withData,
} from '../../../support/model-list-table.ts'

/** The rest of build-model-list.test.ts: what happens to the ids of a provider, and duplicates. */

const stripped = (enabledModels: string[], prefix = 'out') => {
  return [connection('deepthink', withData({ prefix, enabledModels }))]
}

// docs/contract/model-list.md, "Removed prefixes".
table('a leading prefix is removed', [
  {
    title: 'be it output alias, static alias or provider id',
    connections: stripped(['out/a', 'dt/b', 'deepthink/c']),
    expected: ['out/a', 'out/b', 'out/c'],
  },
  {
    title: 'once',
    connections: stripped(['out/out/a', 'dt/deepthink/b', 'out/dt/c']),
    expected: ['out/out/a', 'out/deepthink/b', 'out/dt/c'],
  },
  {
    title: 'at the beginning only, in that very case',
    connections: stripped(['x/out/a', 'OUT/b', 'outer/c', 'dt']),
    expected: ['out/x/out/a', 'out/OUT/b', 'out/outer/c', 'out/dt'],
  },
  {
    title: 'and what is blank then is dropped',
    connections: stripped(['out/', 'dt/ ', 'dt/a']),
    expected: ['out/a'],
  },
  {
    title: 'from ids of an upstream too',
    ...upstreamOf([`${node}/m1`, 'vendor/m2']),
    expected: [`${node}/m1`, `${node}/vendor/m2`],
  },
  {
    title: 'and two spellings of one id are one',
    connections: stripped(['a', 'dt/a', 'out/a']),
    expected: ['out/a'],
  },
])

// docs/contract/model-list.md, "Added models".
table('custom models', [
  {
    title: 'of output alias, static alias and provider id are merged in, others are not',
    connections: stripped(['a']),
    customModels: [
      { id: 'of-id', providerAlias: 'deepthink' },
      { id: ' of-output ', providerAlias: ' out ' },
      { id: 'of-other', providerAlias: 'alpha' },
      { id: 'of-static', providerAlias: 'dt', type: 'llm' },
      { id: 'a', providerAlias: 'dt' },
    ],
    expected: ['out/a', 'out/of-id', 'out/of-output', 'out/of-static'],
  },
  {
    title: 'of other types are not listed',
    connections: stripped(['a']),
    customModels: [
      { id: 'b', providerAlias: 'dt', type: 'image' },
      { id: 'c', providerAlias: 'dt', type: 'webSearch' },
    ],
    kinds: ['llm'],
    expected: ['out/a'],
  },
  {
    title: 'keep an id that begins like a prefix',
    connections: stripped(['a']),
    customModels: [{ id: 'dt/b', providerAlias: 'dt' }],
    expected: ['out/a', 'out/dt/b'],
  },
])

// docs/contract/model-list.md, "Added models".
table('values of the alias map', [
  {
    title: 'that begin with one of the prefixes are merged in without it',
    connections: stripped(['a']),
    modelAliases: {
      one: 'deepthink/x',
      two: 'dt/y',
      three: 'out/z',
      four: 'alpha/other',
      five: 'dtx/other',
      six: 'dt',
      seven: 'dt/a',
      eight: 'dt/y',
    },
    expected: ['out/a', 'out/x', 'out/y', 'out/z'],
  },
  {
    title: 'lose their prefix once',
    connections: stripped(['a']),
    modelAliases: { one: 'dt/out/x' },
    expected: ['out/a', 'out/out/x'],
  },
  {
    title: 'are found for a prefix that has a slash',
    connections: stripped(['a'], 'team/out'),
    modelAliases: { one: 'team/out/x', two: 'team/other/y' },
    expected: ['team/out/a', 'team/out/x'],
  },
])

// docs/contract/model-list.md, "Kind of an id".
table('the kind of an id', [
  {
    title: 'is the static one before any that the id suggests',
    connections: [connection('alpha', withData({ enabledModels: ['voice-of-reason'] }))],
    kinds: ['llm'],
    expected: ['alpha/voice-of-reason'],
  },
  {
    title: 'is found before the prefix is removed',
    connections: [connection('own-ai')],
    kinds: ['image'],
    expected: ['own/painter'],
  },
  {
    title: 'is found after the prefix is removed',
    connections: [connection('alpha', withData({ enabledModels: ['alpha/listener'] }))],
    kinds: ['stt'],
    expected: ['alpha/listener'],
  },
  {
    title: 'is found for a short spelling of a long static id',
    connections: [connection('own-ai', withData({ enabledModels: ['painter'] }))],
    kinds: ['image'],
    expected: ['own/painter'],
  },
  {
    title: 'is inferred for other ids',
    connections: [connection('alpha', withData({ enabledModels: ['chat-9', 'text-embed-9'] }))],
    kinds: ['embedding'],
    expected: ['alpha/text-embed-9', 'alpha/vectors', 'alpha/vectors-xl'],
  },
  {
    title: 'is inferred for custom models with a connection',
    connections: [connection('alpha', withData({ enabledModels: ['chat-9'] }))],
    customModels: [{ id: 'text-embedding-mine', providerAlias: 'alpha', type: 'llm' }],
    kinds: ['llm'],
    expected: ['alpha/chat-9'],
  },
])

// docs/contract/model-list.md, "Configured models".
table('configured models', [
  {
    title: 'of tts are added after the static ones',
    connections: [connection('alpha')],
    kinds: ['tts'],
    expected: ['alpha/speaker', 'alpha/speaker-hd'],
  },
  {
    title: 'are added whatever models are enabled',
    connections: [connection('alpha', withData({ enabledModels: ['chat-1'], prefix: 'p' }))],
    kinds: ['embedding'],
    expected: ['p/vectors', 'p/vectors-xl'],
  },
  {
    title: 'are not added for other kinds',
    connections: [connection('alpha')],
    kinds: ['image'],
    expected: ['alpha/painter'],
  },
  {
    title: 'keep the name of their provider, unlike base ids',
    connections: [connection('own-ai')],
    kinds: ['embedding'],
    expected: ['own/vectors', 'own/own-ai/vectors'],
  },
])

// docs/contract/model-list.md, "Web entries".
table('web entries', [
  {
    title: 'are search and fetch of the output alias',
    connections: [connection('finder', withData({ prefix: 'web' }))],
    kinds: ['webSearch', 'webFetch'],
    expected: ['web/search', 'web/fetch'],
  },
  {
    title: 'need the config',
    connections: [connection('seeker')],
    kinds: ['webSearch', 'webFetch'],
    expected: ['sk/search'],
  },
  {
    title: 'need the kind in the filter',
    connections: [connection('finder')],
    kinds: ['webFetch'],
    expected: ['finder/fetch'],
  },
])

// docs/contract/model-list.md, "Duplicates".
describe('duplicates', () => {
  test('keep the first, a combo before a model', () => {
    const entries = build({
      combos: [{ name: 'dt/dt-chat' }, { name: 'twice' }, { name: 'twice', kind: 'llm' }],
      connections: [connection('deepthink')],
    })
    assert.deepEqual(
      entries.map(({ id, owned_by }) => [id, owned_by]),
      [
        ['dt/dt-chat', 'combo'],
        ['twice', 'combo'],
        ['dt/dt-reason', 'dt'],
      ],
    )
  })

  test('of two providers with one prefix keep the first', () => {
    const listed = ids({
      connections: [
        connection('alpha', withData({ prefix: 'p', enabledModels: ['m', 'n'] })),
        connection('elsewhere', withData({ prefix: 'p', enabledModels: ['m', 'o'] })),
      ],
    })
    assert.deepEqual(listed, ['p/m', 'p/n', 'p/o'])
  })
})

describe('providers outside the catalogue with one prefix', () => {
  const sharing = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const provider = `openai-compatible-lab${index}z`
      return connection(provider, withData({ prefix: 'same' }))
    })

  test('list the models added to the prefix once, and those added to their own names', () => {
    assert.deepEqual(
      ids({
        connections: sharing(3),
        customModels: [
          { id: 'own', providerAlias: 'openai-compatible-lab2z' },
          { id: 'shared', providerAlias: 'same' },
        ],
        modelAliases: { a: 'same/aliased', b: 'openai-compatible-lab1z/aliased-too' },
      }),
      ['same/shared', 'same/aliased', 'same/aliased-too', 'same/own'],
    )
  })

  test('take less than a second of CPU for 1,000 providers and 20,000 added models', () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `m${index}`)
    const inputs = {
      connections: sharing(1_000),
      customModels: names.map((id) => ({ id, providerAlias: 'same' })),
      modelAliases: Object.fromEntries(names.map((name) => [name, `same/a-${name}`])),
    }
    let listed = 0
    const tookMs = cpuMsOf(() => {
      listed = ids(inputs).length
    })
    assert.equal(listed, 20_000)
    assert.ok(tookMs < 1_000, `${tookMs} ms`)
  })
})
