import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { checkPostPolicy, parsePostPolicy } from '../../../../../src/storage/s3/form/post-policy.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const policyOf = (document: unknown) => parsePostPolicy(base64(JSON.stringify(document)))
const expiration = '2030-01-01T00:00:00.000Z'
const now = Date.parse('2029-12-31T23:59:59Z')

function isAllowed(conditions: unknown, fields: Readonly<Record<string, string>>): boolean {
  const free = new Set(['x-amz-signature'])
  try {
    checkPostPolicy(
      policyOf({ expiration, conditions }),
      new Map(Object.entries(fields)),
      free,
      now,
    )
    return true
  } catch (error) {
    assert.ok(error instanceof S3Error && error.code === 'AccessDenied', String(error))
    return false
  }
}

test('a policy with anything that it may not have is invalid', () => {
  const valid = { expiration, conditions: [{ key: 'a' }, ['content-length-range', 0, '5']] }
  assert.deepEqual(policyOf(valid).size, { min: 0, max: 5 })
  const invalid: unknown[] = [
    ...[[], 'x', null, 1, {}, { conditions: [] }, { expiration }, { ...valid, more: 1 }],
    ...[
      '',
      '2030-01-01',
      '2030-02-31T00:00:00Z',
      '2030-01-01T24:00:00Z',
      '2030-01-01T00:00:00+01:00',
    ].map((time) => ({ ...valid, expiration: time })),
    ...[
      ...['key', null, 5, {}, { a: 'b', c: 'd' }, { a: 5 }, { a: ['b'] }, { a: null }],
      ...[[], ['eq', '$key'], ['eq', 'key', 'a'], ['eq', '$key', 5], ['eq', '$key', 'a', 'b']],
      ...[
        ['ne', '$key', 'a'],
        [5, '$key', 'a'],
        ['content-length-range', 0],
      ],
      ...[
        ['content-length-range', -1, 0],
        ['content-length-range', 0, 1.5],
      ],
      ...[
        ['content-length-range', 0, 'x'],
        ['content-length-range', '', 5],
      ],
    ].map((condition) => ({ expiration, conditions: [condition] })),
    { expiration, conditions: { key: 'a' } },
    { EXPIRATION: expiration, conditions: [] },
  ]
  for (const document of invalid) {
    const isInvalid = (error: unknown) => (error as S3Error).code === 'InvalidPolicyDocument'
    assert.throws(() => policyOf(document), isInvalid, JSON.stringify(document))
  }
  for (const text of [
    '',
    '{}',
    'e30',
    `${base64('{}')}\n`,
    `${base64('{}')},${base64('{}')}`,
    '/w==',
  ])
    assert.throws(() => parsePostPolicy(text), /Invalid Policy/, text)
})

test("AWS's escapes are read, and names without case", () => {
  const text = `{"expiration":"${expiration}","conditions":[["EQ","$KEY","\\$a\\\\$b\\v"]]}`
  assert.deepEqual(parsePostPolicy(base64(text)).conditions, [
    { kind: 'eq', field: 'key', value: '$a\\$b\v' },
  ])
})

test('names like __proto__ are names', () => {
  const named = JSON.parse('{"__proto__":"a"}')
  const fields = { key: 'k', ...JSON.parse('{"__proto__":"a"}') }
  assert.equal(isAllowed([{ key: 'k' }, named], Object.fromEntries(Object.entries(fields))), true)
  assert.equal(isAllowed([{ key: 'k' }], { key: 'k', constructor: 'a' }), false)
})

test('a list of content types must match as a whole', () => {
  const images = [['starts-with', '$Content-Type', 'image/']]
  for (const [type, expected] of [
    ['image/png', true],
    ['image/png,image/gif', true],
    ['image/png,text/html', false],
    ['image/png, image/gif', false],
    ['text/html,image/png', false],
  ] as const)
    assert.equal(isAllowed(images, { 'content-type': type }), expected, type)
})

test('a policy is over in the moment of its expiration', () => {
  const policy = policyOf({ expiration, conditions: [] })
  const check = (atMs: number) => () => checkPostPolicy(policy, new Map(), new Set(), atMs)
  assert.throws(check(policy.expiresAtMs), /Policy expired/)
  assert.doesNotThrow(check(policy.expiresAtMs - 1))
})

test('a condition that fails is shown as AWS writes it', () => {
  const policy = policyOf({ expiration, conditions: [['starts-with', '$key', 'a"b']] })
  const check = () => checkPostPolicy(policy, new Map([['key', 'x']]), new Set(), 0)
  const shown = 'Policy Condition failed: ["starts-with", "$key", "a\\"b"]'
  assert.throws(check, { message: `Invalid according to Policy: ${shown}` })
})

const escaped = (text: string) => text.replace(/\$/g, '\\$&')

/** A second reading of AWS's page, written from the conditions and not from the fields. */
function model(
  conditions: readonly (object | readonly string[])[],
  fields: readonly [string, string][],
) {
  const rules = conditions.map((condition) => {
    if (!Array.isArray(condition)) {
      const [[name = '', value = ''] = []] = Object.entries(condition) as [string, string][]
      return { name: name.toLowerCase(), test: new RegExp(`^${escaped(value)}$`, 's') }
    }
    const [kind, name, value] = condition as [string, string, string]
    const prefixed = escaped(value)
    const isList = name.toLowerCase() === '$content-type'
    // No element of a list has a comma, so none begins with a text that has one.
    const list = value.includes(',') ? '(?!)' : `^${prefixed}[^,]*(?:,${prefixed}[^,]*)*$`
    const prefix = isList ? list : `^${prefixed}`
    const source = kind.toLowerCase() === 'eq' ? `^${prefixed}$` : prefix
    return { name: name.slice(1).toLowerCase(), test: new RegExp(source, 's') }
  })
  const isCovered = ([name]: [string, string]) =>
    /^(?:x-amz-signature|file|policy|x-ignore-.*)$/s.test(name) ||
    rules.some((rule) => rule.name === name)
  const isMet = (rule: (typeof rules)[number]) => {
    const sent = fields.find(([name]) => name === rule.name)
    return sent !== undefined && rule.test.test(sent[1])
  }
  return fields.every(isCovered) && rules.every(isMet)
}

test('conditions allow what the model of them allows', () => {
  const name = fc.constantFrom(
    'key',
    'acl',
    'content-type',
    'x-amz-meta-a',
    'policy',
    'x-ignore-a',
    'x-amz-signature',
  )
  const value = fc.stringMatching(/^[ab,$]{0,3}$/).filter((text) => text !== ',')
  const anyCase = (text: fc.Arbitrary<string>) =>
    fc.tuple(text, fc.boolean()).map(([one, isUpper]) => (isUpper ? one.toUpperCase() : one))
  const condition = fc.oneof(
    fc.tuple(anyCase(name), value).map(([field, text]) => ({ [field]: text })),
    fc.tuple(
      anyCase(fc.constantFrom('eq', 'starts-with')),
      anyCase(name).map((field) => `$${field}`),
      value,
    ),
  )
  let allowed = 0
  const property = fc.property(
    fc.array(condition, { maxLength: 4 }),
    fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }),
    (conditions, fields) => {
      const expected = model(conditions, Object.entries(fields))
      if (expected) allowed += 1
      // A list of content types: AWS does not say what an empty prefix and empty elements mean; both allow them.
      assert.equal(isAllowed(conditions, fields), expected)
    },
  )
  fc.assert(property, { numRuns: 5_000 })
  assert.ok(allowed > 100, String(allowed))
})
