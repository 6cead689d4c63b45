import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonPath } from '../../../../src/platform/json-api/json-path.ts'

const cases: readonly (readonly [readonly PropertyKey[], string])[] = [
  [[], ''],
  [['name'], 'name'],
  [
    ['connections', 2, 'providerSpecificData', 'baseUrl'],
    'connections[2].providerSpecificData.baseUrl',
  ],
  [[0, 'a'], '[0].a'],
  [['modelAliases', 'my alias'], 'modelAliases["my alias"]'],
  [['modelAliases', 'a.b"c'], 'modelAliases["a.b\\"c"]'],
  [['modelAliases', '7'], 'modelAliases["7"]'],
  [['modelAliases', ''], 'modelAliases[""]'],
]

for (const [path, expected] of cases) {
  test(`jsonPath writes ${JSON.stringify(path)} as ${expected}`, () => {
    assert.equal(jsonPath(path), expected)
  })
}
