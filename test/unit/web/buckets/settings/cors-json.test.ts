import assert from 'node:assert/strict'
import { test } from 'node:test'
import { corsJson, parseCorsJson } from '../../../../../web/src/buckets/settings/cors-json.ts'

const written = [
  {
    ...{ ID: 'app', AllowedOrigins: ['https://app.example'], AllowedMethods: ['GET', 'PUT'] },
    ...{ AllowedHeaders: ['*'], ExposeHeaders: [], MaxAgeSeconds: 3600 },
  },
]

test('CORS rules are read and written as AWS does', () => {
  const rules = parseCorsJson(JSON.stringify(written))
  assert.deepEqual(rules, [
    {
      ...{ id: 'app', allowedOrigins: ['https://app.example'], allowedMethods: ['GET', 'PUT'] },
      ...{ allowedHeaders: ['*'], exposeHeaders: [], maxAgeSeconds: 3600 },
    },
  ])
  assert.deepEqual(JSON.parse(corsJson(rules)), written)
  assert.deepEqual(parseCorsJson(JSON.stringify({ CORSRules: written })), rules)
  assert.deepEqual(parseCorsJson(' '), [])
})

for (const [text, message] of [
  ['{', /JSON/],
  ['{}', /Expected an array of rules/],
  ['[1]', /An object is expected/],
  ['[{"AllowedOrigin": []}]', /AllowedOrigin of .* is not known/],
  ['[{}, {"AllowedMethods": "GET"}]', /AllowedMethods of .* 2 is not a list of texts/],
] as const) {
  test(`The JSON ${text} is refused with a reason`, () => {
    assert.throws(() => parseCorsJson(text), message)
  })
}
