import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseCatalogue } from '../../../../src/models/catalogue/catalogue.ts'
import { CatalogueError } from '../../../../src/models/catalogue/catalogue-error.ts'
import { cpuMsOf } from '../../../support/cpu-time.ts'

/** One provider or value on each line, so that a line number is an index plus two. */
function fileOf(...entries: readonly unknown[]) {
  const lines = entries.map((entry) => JSON.stringify(entry)).join(',\n')
  return { name: 'my.json', text: `[\n${lines}\n]` }
}

function problemsOf(read: () => unknown) {
  try {
    read()
  } catch (error) {
    assert.ok(error instanceof CatalogueError)
    return error.problems.map(({ line, field, message }) => `${line} ${field}: ${message}`)
  }
  return []
}

const ok = { id: 'ok' }

describe('parseCatalogue refuses', () => {
  const cases: readonly { title: string; entries: readonly unknown[]; expected: RegExp[] }[] = [
    { title: 'a missing id', entries: [ok, {}], expected: [/^3 \[1\]\.id: .*string/] },
    { title: 'no object', entries: ['x'], expected: [/^2 \[0\]: .*object/] },
    { title: 'an id with a slash', entries: [{ id: 'a/b' }], expected: [/^2 \[0\]\.id: /] },
    {
      title: 'an alias with a space',
      entries: [{ id: 'a', alias: ' ' }],
      expected: [/^2 \[0\]\.alias: expected text without white space/],
    },
    {
      title: 'an unknown kind',
      entries: [ok, { id: 'a', serviceKinds: ['llm', 'video'] }],
      expected: [/^3 \[1\]\.serviceKinds\[1\]: .*llm/],
    },
    {
      title: 'no kind at all',
      entries: [{ id: 'a', serviceKinds: [] }],
      expected: [/^2 \[0\]\.serviceKinds: /],
    },
    {
      title: 'an unknown model type',
      entries: [{ id: 'a', models: [{ id: 'm' }, { id: 'n', type: 'webSearch' }] }],
      expected: [/^2 \[0\]\.models\[1\]\.type: /],
    },
    {
      title: 'a blank model id',
      entries: [{ id: 'a', models: [{ id: ' ' }] }],
      expected: [/^2 \[0\]\.models\[0\]\.id: expected a model id/],
    },
    {
      title: 'a config without models',
      entries: [{ id: 'a', serviceKinds: ['tts'], ttsConfig: {} }],
      expected: [/^2 \[0\]\.ttsConfig\.models: /],
    },
    {
      title: 'an id that another has',
      entries: [ok, { id: 'a' }, { id: 'ok' }],
      expected: [/^4 \[2\]\.id: another provider has the id ok$/],
    },
    {
      title: 'an alias that another has',
      entries: [
        { id: 'a', alias: 'x' },
        { id: 'b', alias: 'x' },
      ],
      expected: [/^3 \[1\]\.alias: another provider has the alias x$/],
    },
    {
      title: 'an alias that is the id of another, before or after it',
      entries: [
        { id: 'a', alias: 'c' },
        { id: 'b', alias: 'a' },
        { id: 'c', alias: 'd' },
      ],
      expected: [
        /^2 \[0\]\.alias: c is the id of another provider$/,
        /^3 \[1\]\.alias: a is the id of another provider$/,
      ],
    },
    {
      title: 'a model listed twice',
      entries: [{ id: 'a', models: [{ id: 'm' }, { id: 'm' }] }],
      expected: [/^2 \[0\]\.models\[1\]\.id: m is listed twice$/],
    },
  ]
  for (const { title, entries, expected } of cases) {
    test(title, () => {
      const problems = problemsOf(() => parseCatalogue([fileOf(...entries)]))
      assert.equal(problems.length, expected.length, problems.join('\n'))
      for (const [index, pattern] of expected.entries())
        assert.match(problems[index] ?? '', pattern)
    })
  }

  test('text that is not JSON, naming the line', () => {
    const broken = { name: 'my.json', text: '[\n{ "id": "a" },\n{ "id": }\n]' }
    assert.deepEqual(
      problemsOf(() => parseCatalogue([broken])),
      ['3 : invalid JSON: value expected'],
    )
  })

  test('with a message that names file, line and field of every mistake', () => {
    assert.throws(() => parseCatalogue([fileOf(ok, { id: 5 }, { id: 'a', models: [{}] })]), {
      message:
        /^The model catalogue cannot be used\.\nmy\.json:3: \[1\]\.id: .*\nmy\.json:4: \[2\]\.models\[0\]\.id: /,
    })
  })

  test('JSON that is nested deeply, with a line if the nesting permits', () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    for (const [levels, line] of [
      [300, 2],
      [100_000, 1],
    ] as const) {
      const text = `{\n"id": "a",\n"evidence": ${deep(levels)}\n}`
      assert.equal(parseCatalogue([{ name: 'my.json', text }]).providers.length, 1)
      const [problem = ''] = problemsOf(() =>
        parseCatalogue([{ name: 'my.json', text: text.replace('"a"', '5') }]),
      )
      assert.match(problem, new RegExp(`^${line} id: .*string`))
      assert.match(
        problemsOf(() => parseCatalogue([{ name: 'my.json', text: text.slice(0, -3) }]))[0] ?? '',
        /invalid JSON/,
      )
    }
  })

  test('texts of every length', () => {
    const long = 'x'.repeat(15 * 1024 * 1024)
    for (const value of [
      `"${long}"`,
      `"${long}`,
      ' '.repeat(long.length),
      `"${'\\n'.repeat(7e6)}`,
      '1'.repeat(15e6),
    ]) {
      const text = `[\n{"id":\n${value}\n, "alias": 5}]`
      assert.notDeepEqual(
        problemsOf(() => parseCatalogue([{ name: 'my.json', text }])),
        [],
      )
    }
  })

  test('at once, however many mistakes there are', () => {
    const kinds = Array.from({ length: 50_000 }, () => 'tts')
    const models = Array.from({ length: 50_000 }, (_, index) => ({ id: `m${index}` }))
    for (const entries of [
      [{ id: 'a', serviceKinds: kinds, models: [...models, ...models] }],
      Array.from({ length: 50_000 }, () => ({ id: 'a', models: [{ id: ' ' }] })),
      Array.from({ length: 50_000 }, () => ({ id: 'a' })),
    ]) {
      const file = fileOf(...entries)
      const tookMs = cpuMsOf(() => {
        assert.equal(problemsOf(() => parseCatalogue([file])).length, 20)
      })
      assert.ok(tookMs < 5_000, `${tookMs} ms`)
    }
  })

  test('and reports twenty of a thousand mistakes', () => {
    const many = Array.from({ length: 1_000 }, () => ({ id: 5 }))
    assert.throws(
      () => parseCatalogue([fileOf(...many)]),
      (error: Error) => {
        return error.message.split('\n').length === 22 && error.message.endsWith('and 980 more')
      },
    )
  })
})

describe('parseCatalogue gives', () => {
  test('defaults: llm, the id as alias', () => {
    const { providers, byId } = parseCatalogue([fileOf({ id: 'a', models: [{ id: 'm' }] })])
    const [provider] = providers
    assert.deepEqual([...(provider?.models ?? [])], [['m', { kind: 'llm', facts: undefined }]])
    assert.equal(provider?.alias, 'a')
    assert.deepEqual([...(provider?.serviceKinds ?? [])], ['llm'])
    assert.equal(byId.get('a'), provider)
  })

  test('unknown fields no meaning', () => {
    const evidence = { sources: ['x'], weak: ['m'] }
    const { providers } = parseCatalogue([fileOf({ id: 'a', evidence, searchViaChat: true })])
    assert.equal(providers.length, 1)
  })

  test('the providers of files of one and of many in their order', () => {
    const one = { name: 'one.json', text: '{ "id": "z" }' }
    const { providers } = parseCatalogue([one, fileOf({ id: 'y' }, { id: 'x' })])
    assert.deepEqual(
      providers.map(({ id }) => id),
      ['z', 'y', 'x'],
    )
  })

  test('providers whose serviceKinds, model types and configs do not match', () => {
    // 9router's own providers are like this: openai has webSearch without a searchConfig.
    const { providers } = parseCatalogue([
      fileOf(
        { id: 'a', serviceKinds: ['llm', 'tts', 'embedding', 'webSearch', 'webFetch'] },
        { id: 'b', searchConfig: {}, fetchConfig: {}, ttsConfig: { models: [{ id: 'v' }] } },
        { id: 'c', serviceKinds: ['tts'], models: [{ id: 'm' }] },
      ),
    ])
    assert.deepEqual(
      providers.map(({ canSearch, ttsModelIds }) => ({ canSearch, ttsModelIds })),
      [
        { canSearch: false, ttsModelIds: [] },
        { canSearch: true, ttsModelIds: ['v'] },
        { canSearch: false, ttsModelIds: [] },
      ],
    )
  })

  test('an empty catalogue if there is none', () => {
    assert.deepEqual(parseCatalogue([fileOf()]).providers, [])
  })
})
