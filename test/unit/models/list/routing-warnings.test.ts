import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  routingWarnings,
  type WarningInputs,
} from '../../../../src/models/list/routing-warnings.ts'
import { cpuMsOf } from '../../../support/cpu-time.ts'
import { smallCatalogue } from '../../../support/small-catalogue.ts'

function warned(state: Partial<WarningInputs>): string[] {
  const warnings = routingWarnings({
    ...{ connections: [], combos: [], customModels: [], modelAliases: {} },
    ...state,
    catalogue: smallCatalogue,
  })
  return warnings.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

const deepthink = { id: 'c', provider: 'deepthink', providerSpecificData: { prefix: 'deep' } }
const lab = {
  ...{ id: 'l', provider: 'openai-compatible-lab', apiKey: 'k' },
  providerSpecificData: { baseUrl: 'http://lab/v1', prefix: 'lab' },
}

describe('a warning names', () => {
  test('a provider that the catalogue does not have', () => {
    assert.deepEqual(warned({ connections: [{ id: 'x', provider: 'opneai' }, deepthink, lab] }), [
      'connections.0.provider: The catalogue has no provider opneai. Only models entered for it are listed.',
    ])
  })

  test('a combo’s model that no list has', () => {
    const combos = [
      { name: 'smart', models: ['deep/dt-chat', 'deep/typo', 'mine', 'fast'] },
      { name: 'fast', models: ['elsewhere/m'] },
    ]
    const modelAliases = { mine: 'deep/dt-chat' }
    assert.deepEqual(
      warned({ connections: [deepthink], combos, modelAliases }).map((text) => text.split(':')[0]),
      ['combos.0.models.1', 'combos.1.models.0'],
    )
  })

  test('no model that an upstream may have', () => {
    const combos = [{ name: 'smart', models: ['lab/anything', 'openai-compatible-lab/other'] }]
    assert.deepEqual(warned({ connections: [lab], combos }), [])
    const entered = { ...lab.providerSpecificData, enabledModels: ['big'] }
    const chosen = { ...lab, providerSpecificData: entered }
    assert.equal(warned({ connections: [chosen], combos }).length, 2)
  })

  test('a custom model of a kind that no list has', () => {
    const customModels = [{ id: 'm', providerAlias: 'deep', type: 'image' } as const]
    for (const connections of [[], [deepthink]]) {
      assert.match(
        warned({ connections, customModels }).join(),
        /^customModels\.0\.type: .*not listed/,
      )
    }
  })

  test('a custom model whose provider is not connected, once any provider is', () => {
    const customModels = [
      { id: 'm', providerAlias: 'dt' },
      { id: 'm', providerAlias: 'alpha' },
    ]
    assert.deepEqual(warned({ customModels }), [])
    assert.match(
      warned({ connections: [deepthink], customModels }).join(),
      /^customModels\.1\.providerAlias: [^,]* no active connection has the provider or prefix alpha/,
    )
  })

  test('a custom model whose name suggests a kind that its provider does not serve', () => {
    const customModels = [{ id: 'text-embed-1', providerAlias: 'lab' }]
    assert.match(
      warned({ connections: [lab], customModels }).join(),
      /^customModels\.0\.id: .*kind that its provider does not serve/,
    )
  })

  test('an alias that lists nothing', () => {
    const modelAliases = { 'my name': 'deep/new', typo: 'deeep/new', voice: 'deep/my-tts' }
    const texts = warned({ connections: [deepthink], modelAliases })
    assert.deepEqual(
      texts.map((text) => text.split(':')[0]),
      ['modelAliases.typo', 'modelAliases.voice'],
    )
    assert.match(
      warned({ modelAliases: { a: 'dt/dt-chat' } }).join(),
      /while a connection is active/,
    )
  })
})

test('warnings of 10,000 items and 1,000 connections take less than a second of CPU', () => {
  const connections = Array.from({ length: 1_000 }, (_, index) => {
    const providerSpecificData = { baseUrl: 'http://lab/v1', prefix: `p${index}` }
    return { id: `c${index}`, provider: `openai-compatible-${index}x`, providerSpecificData }
  })
  const names = Array.from({ length: 10_000 }, (_, index) => `p${index % 2_000}/m${index}`)
  let texts: readonly string[] = []
  const input = {
    connections,
    modelAliases: Object.fromEntries(names.map((name) => [`a-${name}`, name])),
    customModels: names.map((name) => ({ id: name, providerAlias: name.split('/')[0] ?? '' })),
  }
  const tookMs = cpuMsOf(() => {
    texts = warned(input)
  })
  assert.equal(texts.length, 10_000)
  assert.ok(tookMs < 1_000, `${tookMs} ms`)
})
