import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportFile } from '../../../../src/models/routing/import/export-file.ts'
import type { RoutingAnswer } from '../../../../src/models/routing/routing-schemas.ts'
import { readImportFile } from '../../../../web/src/models/transfer/import-file.ts'

const state: RoutingAnswer = {
  connections: [
    {
      id: 'one',
      provider: 'openai',
      isActive: true,
      apiKey: '****3f9a',
      apiKeyState: 'stored',
      createdAtMs: 1_779_876_543_210,
    },
  ],
  combos: [{ name: 'smart', models: ['openai/gpt-5'] }],
  customModels: [],
  modelAliases: { mine: 'openai/gpt-5' },
}
const nothing: RoutingAnswer = { connections: [], combos: [], customModels: [], modelAliases: {} }

test('readImportFile returns a 9router file unchanged', () => {
  const file = { providerConnections: [], settings: { theme: 'dark' } }
  assert.deepEqual(readImportFile(JSON.stringify(file), nothing), file)
})

test('readImportFile converts an export of Bucketry into the API format', () => {
  const body = readImportFile(JSON.stringify(state), state)
  assert.deepEqual(body, {
    combos: state.combos,
    customModels: [],
    modelAliases: state.modelAliases,
    providerConnections: [
      {
        id: 'one',
        provider: 'openai',
        isActive: true,
        apiKey: '****3f9a',
        createdAt: '2026-05-27T10:09:03.210Z',
      },
    ],
  })
  exportFile.parse(body)
})

test('readImportFile omits a mask without a stored key', () => {
  const body = readImportFile(JSON.stringify(state), nothing)
  const { providerConnections } = exportFile.parse(body)
  assert.equal(providerConnections?.[0]?.apiKey, undefined)
})

for (const text of ['', '{', '[]', '"text"', 'null', '{"connections":7}']) {
  test(`readImportFile refuses ${JSON.stringify(text)} with a readable message`, () => {
    assert.throws(() => readImportFile(text, nothing), {
      name: 'SyntaxError',
      message: /^Th(is|e) /,
    })
  })
}
