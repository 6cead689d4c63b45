import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  allowsEveryone,
  type BucketPolicy,
  Patterns,
  type PolicyRequest,
} from '../../../../../src/storage/buckets/bucket-policy.ts'
import {
  maxPolicyBytes,
  parsePolicy,
} from '../../../../../src/storage/s3/configuration/policy-document.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { collectGarbage } from '../../../../support/collect-garbage.ts'
import { cpuMsOf, leastCpuMsOf } from '../../../../support/cpu-time.ts'

const bucket = 'photos'
const arn = `arn:aws:s3:::${bucket}`
const parse = (document: unknown) =>
  parsePolicy(
    Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)),
    bucket,
  )
const allow = (action: unknown, resource: unknown, others: object = {}) => ({
  ...{ Effect: 'Allow', Principal: '*', Action: action, Resource: resource, ...others },
})
const policyOf = (...statements: object[]) => ({ Version: '2012-10-17', Statement: statements })
const get = (key: string): PolicyRequest => ({ action: 's3:GetObject', key, prefix: undefined })
const list = (prefix?: string): PolicyRequest => ({ action: 's3:ListBucket', key: '', prefix })

const ofImages = { StringEquals: { 's3:prefix': ['images/'] } }

/** What clients send. */
const kept: Readonly<Record<string, unknown>> = {
  'AWS: read-only access for everyone': {
    Version: '2012-10-17',
    Statement: [
      { Sid: 'PublicRead', ...allow(['s3:GetObject', 's3:GetObjectVersion'], [`${arn}/*`]) },
    ],
  },
  'mc anonymous set download': policyOf(
    allow(['s3:GetBucketLocation', 's3:ListBucket'], [arn], { Principal: { AWS: ['*'] } }),
    allow(['s3:GetObject'], [`${arn}/*`], { Principal: { AWS: ['*'] } }),
  ),
  'mc anonymous set download of a prefix': policyOf(
    allow(['s3:GetBucketLocation'], [arn], { Principal: { AWS: ['*'] } }),
    allow(['s3:ListBucket'], [arn], {
      Principal: { AWS: ['*'] },
      Condition: { StringEquals: { 's3:prefix': ['images/'] } },
    }),
    allow(['s3:GetObject'], [`${arn}/images/*`], { Principal: { AWS: ['*'] } }),
  ),
  'Terraform: aws_s3_bucket_policy of a site': policyOf({
    ...{ Sid: 'PublicReadGetObject', ...allow('s3:GetObject', [`${arn}/*`]) },
  }),
  'both levels in one statement': policyOf(
    allow(['s3:GetObject', 's3:ListBucket'], [arn, `${arn}/*`]),
  ),
  'no statement': policyOf(),
}

for (const [name, document] of Object.entries(kept)) {
  test(`kept: ${name}`, () => {
    const text = JSON.stringify(document)
    assert.equal(parse(text).text, text)
  })
}

const more = policyOf(
  allow('s3:GetObject', `${arn}/*`),
  allow('s3:DeleteObjectVersion', `${arn}/*`),
)

/** Document → what the message names. */
const refused: readonly (readonly [name: string, document: unknown, message: RegExp])[] = [
  ['versions', more, /Statement 2 cannot be stored: the Action "s3:DeleteObjectVersion"/],
  [
    'writes of a prefix',
    policyOf(allow('s3:PutObject', `${arn}/*`, { Condition: ofImages })),
    /only s3:/,
  ],
  ['Deny', policyOf({ Sid: 'No', ...allow('s3:GetObject', `${arn}/*`), Effect: 'Deny' }), /"No"/],
  [
    'another account',
    policyOf(allow('s3:GetObject', `${arn}/*`, { Principal: { AWS: '1' } })),
    /Principal/,
  ],
  [
    'two principals',
    policyOf(allow('s3:GetObject', `${arn}/*`, { Principal: { AWS: ['*', '1'] } })),
    /Principal/,
  ],
  [
    'a federated principal',
    policyOf(allow('s3:GetObject', `${arn}/*`, { Principal: { AWS: '*', Service: 'x' } })),
    /Principal/,
  ],
  [
    'NotAction',
    policyOf({ ...allow('s3:GetObject', `${arn}/*`), NotAction: 's3:PutObject' }),
    /NotAction/,
  ],
  ['a wildcard of actions', policyOf(allow('s3:Get*', `${arn}/*`)), /Action "s3:Get\*"/],
  [
    'another bucket',
    policyOf(allow('s3:GetObject', 'arn:aws:s3:::other/*')),
    /Resource "arn:aws:s3:::other/,
  ],
  ['a bucket of the same beginning', policyOf(allow('s3:GetObject', `${arn}*`)), /Resource/],
  ['every resource', policyOf(allow('s3:GetObject', '*')), /Resource/],
  ['a policy variable', policyOf(allow('s3:GetObject', `${arn}/\${aws:username}/*`)), /variable/],
  ['an action of no resource', policyOf(allow('s3:GetObject', arn)), /no/],
  [
    'a resource without an action',
    policyOf(allow('s3:ListBucket', [arn, `${arn}/*`])),
    /no Action applies to a Resource/,
  ],
  [
    'an address',
    policyOf(allow('s3:GetObject', `${arn}/*`, { Condition: { IpAddress: {} } })),
    /Condition/,
  ],
  [
    'a referer',
    policyOf(allow('s3:ListBucket', arn, { Condition: { StringLike: { 'aws:Referer': 'x' } } })),
    /Condition/,
  ],
  [
    'a prefix of objects',
    policyOf(
      allow(['s3:GetObject', 's3:ListBucket'], [arn, `${arn}/*`], {
        Condition: { StringLike: { 's3:prefix': 'a' } },
      }),
    ),
    /Condition/,
  ],
  [
    'a repeated name',
    `{"Statement":[{"Effect":"Deny","Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"${arn}/*"}]}`,
    /repeated/,
  ],
  [
    'a name repeated in other letters',
    `{"Statement":[{"Effect":"Deny","\\u0045ffect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"${arn}/*"}]}`,
    /repeated/,
  ],
  ['no JSON', 'x', /JSON/],
  ['a list', '[]', /JSON/],
  ['no statement', '{}', /Statement/],
  ['another version', { Version: '2011', Statement: [] }, /Version/],
]

for (const [name, document, message] of refused) {
  test(`refused: ${name}`, () => {
    assert.throws(
      () => parse(document),
      (error: unknown) => {
        assert.ok(error instanceof S3Error && error.code === 'MalformedPolicy')
        assert.match(error.message, message)
        return true
      },
    )
  })
}

test('A listing needs the prefix that its condition has', () => {
  const policy = parse(kept['mc anonymous set download of a prefix'])
  assert.deepEqual(
    [undefined, '', 'images/', 'images/a'].map((prefix) => allowsEveryone(policy, list(prefix))),
    [false, false, true, false],
  )
  assert.deepEqual(
    ['images/a', 'images', 'other'].map((key) => allowsEveryone(policy, get(key))),
    [true, false, false],
  )
})

test('All operators of a condition must hold', () => {
  const tests = { StringEquals: { 's3:prefix': ['a', 'b'] }, StringLike: { 's3:Prefix': 'a*' } }
  const policy = parse(policyOf(allow('s3:ListBucket', arn, { Condition: tests })))
  assert.deepEqual(
    ['a', 'b', 'aa'].map((prefix) => allowsEveryone(policy, list(prefix))),
    [true, false, false],
  )
})

const text = fc.string({
  unit: fc.constantFrom('a', 'b', '/', '*', '?', '.', '\\', '😀'),
  maxLength: 8,
})

/** A second implementation of the same matching, with a regular expression. */
function likeAws(pattern: string, value: string): boolean {
  const source = [...pattern].map((one) =>
    one === '*' ? '.*' : one === '?' ? '.' : one.replace(/[\\^$.|+()[\]{}/]/g, '\\$&'),
  )
  return new RegExp(`^${source.join('')}$`, 'su').test(value)
}

test('Patterns match as those of AWS', () => {
  fc.assert(
    fc.property(text, text, (pattern, value) => {
      assert.equal(new Patterns([pattern]).match(value), likeAws(pattern, value))
    }),
    { numRuns: 2_000 },
  )
})

test('Several patterns match if one of them does', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), text, (patterns, value) => {
      const expected = patterns.some((pattern) => likeAws(pattern, value))
      assert.equal(new Patterns(patterns).match(value), expected)
    }),
    { numRuns: 5_000 },
  )
})

/** As many of these resources, or values of a condition, as a policy has room for. */
function fullPolicy(part: 'keys' | 'prefixes', pattern: (index: number) => string): BucketPolicy {
  const made = (count: number) => {
    const patterns = Array.from({ length: count }, (_, index) => pattern(index))
    const resources = patterns.map((each) => `${arn}/${each}`)
    const condition = { Condition: { StringLike: { 's3:prefix': patterns } } }
    const statement =
      part === 'keys' ? allow('s3:GetObject', resources) : allow('s3:ListBucket', arn, condition)
    return JSON.stringify(policyOf(statement))
  }
  const spare = maxPolicyBytes - made(1).length
  const each = made(2).length - made(1).length
  return parse(made(1 + Math.floor(spare / (each + 3))))
}

const suffix = (index: number) => String(index).padStart(3, '0')
const costly: Readonly<Record<string, (index: number) => string>> = {
  'many stars': (index) => `${'*a'.repeat(45)}b${suffix(index)}`,
  'one star and many question marks': (index) => `*${'?'.repeat(90)}b${suffix(index)}`,
  'a long text between stars': (index) => `*${'a'.repeat(500)}b${suffix(index)}*`,
  'one long pattern of stars': (index) => `${'*a'.repeat(9_000)}b${suffix(index)}`,
  'short patterns': (index) => `*${suffix(index)}`,
}

for (const [name, pattern] of Object.entries(costly)) {
  test(`A policy of 20 KB answers in a moment: ${name}`, () => {
    const text = 'a'.repeat(1_024)
    for (const part of ['keys', 'prefixes'] as const) {
      const policy = fullPolicy(part, pattern)
      const request = part === 'keys' ? get(text) : list(text)
      assert.equal(allowsEveryone(policy, request), false)
      const tookMs = leastCpuMsOf(() => allowsEveryone(policy, request))
      assert.ok(tookMs < 10, `${tookMs} ms`)
    }
  })
}

test('A policy is read in a moment and takes little memory, whatever its characters are', () => {
  const patterns = Array.from({ length: 60 }, (_, index) =>
    Array.from({ length: 100 }, (__, at) => String.fromCharCode(0x4e00 + index * 100 + at)).join(
      '',
    ),
  )
  const policy = parse(
    policyOf(
      allow(
        's3:GetObject',
        patterns.map((each) => `${arn}/*${each}?`),
      ),
    ),
  )
  collectGarbage()
  const beforehand = process.memoryUsage().heapUsed
  const tookMs = cpuMsOf(() => assert.equal(allowsEveryone(policy, get(`x${patterns[59]}y`)), true))
  assert.ok(tookMs < 100, `${tookMs} ms`)
  collectGarbage()
  const bytes = process.memoryUsage().heapUsed - beforehand
  assert.ok(bytes < 1_000_000, `${bytes} bytes`)
  assert.equal(allowsEveryone(policy, get('x')), false)
})

test('What meets both operators of one condition is not mixed with another condition', () => {
  const both = { StringEquals: { 's3:prefix': ['a', 'b'] }, StringLike: { 's3:prefix': 'a*' } }
  const policy = parse(
    policyOf(
      allow('s3:ListBucket', arn, { Condition: both }),
      allow('s3:ListBucket', arn, { Condition: { StringLike: { 's3:prefix': 'c*' } } }),
      allow('s3:ListBucket', arn, { Condition: { StringEquals: { 's3:prefix': 'd' } } }),
    ),
  )
  const prefixes = ['a', 'b', 'aa', 'c', 'cc', 'd', 'dd', '']
  const allowed = prefixes.filter((prefix) => allowsEveryone(policy, list(prefix)))
  assert.deepEqual(allowed, ['a', 'c', 'cc', 'd'])
})

const one = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 }))
const statement = fc.record(
  {
    Effect: fc.constantFrom('Allow', 'Allow', 'Allow', 'Deny'),
    Principal: fc.constantFrom('*', { AWS: '*' }, { AWS: ['*'] }, { AWS: ['*', 'x'] }, 'x'),
    Action: one(fc.constantFrom('s3:GetObject', 's3:ListBucket', 'S3:getobject', 's3:PutObject')),
    Resource: one(
      fc.oneof(
        fc.constant(arn),
        text.map((keys) => `${arn}/${keys}`),
      ),
    ),
    Condition: fc.option(
      fc.dictionary(
        fc.constantFrom('StringEquals', 'StringLike', 'StringNotLike'),
        fc.record({ 's3:prefix': one(text) }),
        { maxKeys: 2 },
      ),
      { nil: undefined, freq: 3 },
    ),
  },
  { requiredKeys: ['Effect', 'Principal', 'Action', 'Resource'] },
)

type Statement = typeof statement extends fc.Arbitrary<infer Value> ? Value : never
const listOf = (value: unknown) => [value].flat() as string[]

/** Whether AWS would allow it to everyone, from the document alone. */
function wouldAllow(statements: readonly Statement[], { action, key, prefix }: PolicyRequest) {
  const applies = (one: Statement) =>
    listOf(one.Action).some((name) => name.toLowerCase() === action.toLowerCase()) &&
    listOf(one.Resource).some((resource) =>
      likeAws(resource, action === 's3:GetObject' ? `${arn}/${key}` : arn),
    ) &&
    Object.entries(one.Condition ?? {}).every(([operator, tested]) =>
      listOf(tested['s3:prefix']).some((value) =>
        operator === 'StringEquals'
          ? value === prefix
          : prefix !== undefined && likeAws(value, prefix) === (operator === 'StringLike'),
      ),
    )
  const isEveryone = ({ Principal }: Statement) =>
    Principal === '*' || (Principal as { AWS?: unknown }).AWS !== undefined
  const found = statements.filter((one) => isEveryone(one) && applies(one))
  return (
    found.some(({ Effect }) => Effect === 'Allow') &&
    found.every(({ Effect }) => Effect === 'Allow')
  )
}

test('A policy is kept with its whole meaning, or refused', () => {
  let keptOnes = 0
  fc.assert(
    fc.property(
      fc.array(statement, { maxLength: 3 }),
      fc.array(text, { minLength: 4, maxLength: 4 }),
      (statements, texts) => {
        let policy: ReturnType<typeof parse>
        try {
          policy = parse({ Statement: statements })
        } catch (error) {
          assert.ok(error instanceof S3Error)
          return
        }
        keptOnes += 1
        for (const value of [...texts, undefined]) {
          for (const request of [get(value ?? ''), list(value)]) {
            const name = JSON.stringify([statements, request])
            assert.equal(allowsEveryone(policy, request), wouldAllow(statements, request), name)
          }
        }
      },
    ),
    { numRuns: 5_000 },
  )
  assert.ok(keptOnes > 200, `only ${keptOnes}`)
})

test('what is repeated is kept once: a small policy makes few grants', () => {
  const repeated = policyOf(
    allow(Array(500).fill('s3:GetObject'), Array(400).fill(`${arn}/*`)),
    allow(['s3:ListBucket', 'S3:LISTBUCKET'], [arn, arn], {
      Condition: { StringLike: { 's3:prefix': 'a*' } },
    }),
  )
  assert.equal(parse(repeated).grants.length, 2)
})

test('a prefix that is longer than any key meets no condition', () => {
  const condition = { Condition: { StringLike: { 's3:prefix': '*' } } }
  const policy = parse(policyOf(allow('s3:ListBucket', arn, condition)))
  assert.equal(allowsEveryone(policy, list('a'.repeat(1024))), true)
  assert.equal(allowsEveryone(policy, list('a'.repeat(1025))), false)
})
