import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ApiError,
  errorFormatOf,
  jsonPath,
  plainErrorFormat,
} from '../../../../src/platform/json-api/api-error.ts'

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

const other = { prefix: '/v1', errorBody: () => ({}) }

for (const target of ['/v1', '/v1/', '/v1/models', '/v1?x=1']) {
  test(`errorFormatOf ${target} is that of its prefix`, () => {
    assert.equal(errorFormatOf([other], target), other)
  })
}

for (const target of ['/', '/v10', '/v1-x/models', '/auth/v1', '/?/v1']) {
  test(`errorFormatOf ${target} is the plain one`, () => {
    assert.equal(errorFormatOf([other], target), plainErrorFormat)
  })
}

test('the plain errorFormat has a message, and a field where there is one', () => {
  const { errorBody } = plainErrorFormat
  assert.deepEqual(errorBody(new ApiError(404, 'Not here.', { code: 'x' })), {
    message: 'Not here.',
  })
  assert.deepEqual(errorBody(new ApiError(400, 'Bad.', { field: 'a[1]' })), {
    message: 'Bad.',
    field: 'a[1]',
  })
})
