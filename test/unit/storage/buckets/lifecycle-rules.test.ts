import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  abortsUploads,
  formerExpiry,
  type LifecycleRule,
  markerExpiry,
  mayExpire,
  objectExpiry,
  uploadExpiry,
} from '../../../../src/storage/buckets/lifecycle-rules.ts'

const rule = (changed: Partial<LifecycleRule>): LifecycleRule => ({
  ...{ id: 'rule', prefix: '', prefixForm: 'filter', isEnabled: true, ...changed },
})

const expiryOf = (
  rules: readonly LifecycleRule[],
  written: string,
  key = 'a/b',
  tags: Parameters<typeof objectExpiry>[1]['tags'] = undefined,
) => {
  const expiry = objectExpiry(rules, { key, size: 5, modifiedAtMs: Date.parse(written), tags })
  return expiry && [expiry.rule.id, new Date(expiry.atMs).toISOString()]
}

test('an object expires at the midnight after its days, as in the example of S3', () => {
  const rules = [rule({ days: 3 })]
  assert.deepEqual(expiryOf(rules, '2014-01-15T10:30:00Z'), ['rule', '2014-01-19T00:00:00.000Z'])
  assert.deepEqual(expiryOf(rules, '2014-01-15T00:00:00Z'), ['rule', '2014-01-19T00:00:00.000Z'])
  assert.deepEqual(expiryOf(rules, '2014-01-15T23:59:59Z'), ['rule', '2014-01-19T00:00:00.000Z'])
  assert.deepEqual(expiryOf(rules, '1969-12-30T12:00:00Z'), ['rule', '1970-01-03T00:00:00.000Z'])
})

test('an object of a rule with the most days has a time', () => {
  const far = expiryOf([rule({ days: 0x7fffffff })], '2024-01-01T00:00:00Z')
  assert.equal(far?.[1], '+275760-09-13T00:00:00.000Z')
})

test('an object expires at a date, whenever it was written', () => {
  const dateMs = Date.parse('2020-01-01T00:00:00Z')
  assert.deepEqual(expiryOf([rule({ dateMs })], '2024-05-05T05:05:05Z'), [
    'rule',
    '2020-01-01T00:00:00.000Z',
  ])
})

test('the rule with the earliest time counts, of those that are enabled and have the prefix', () => {
  const rules = [
    rule({ id: 'late', days: 10 }),
    rule({ id: 'early', days: 2, prefix: 'a/' }),
    rule({ id: 'other', days: 1, prefix: 'b/' }),
    rule({ id: 'disabled', days: 1, isEnabled: false }),
    rule({ id: 'uploads', abortUploadsDays: 1 }),
  ]
  assert.equal(expiryOf(rules, '2024-01-01T01:00:00Z')?.[0], 'early')
  assert.equal(expiryOf(rules, '2024-01-01T01:00:00Z', 'c')?.[0], 'late')
  assert.equal(expiryOf(rules.slice(3), '2024-01-01T01:00:00Z'), undefined)
})

test('an upload is aborted at the midnight after its days', () => {
  const rules = [rule({ days: 1 }), rule({ id: 'uploads', prefix: 'a/', abortUploadsDays: 7 })]
  const began = Date.parse('2024-01-01T12:00:00Z')
  assert.equal(uploadExpiry(rules, 'a/b', began)?.atMs, Date.parse('2024-01-09T00:00:00Z'))
  assert.equal(uploadExpiry(rules, 'b', began), undefined)
})

test('what enabled rules remove', () => {
  for (const hasVersions of [false, true]) {
    assert.equal(mayExpire(rule({ days: 1 }), hasVersions), true)
    assert.equal(mayExpire(rule({ dateMs: 0 }), hasVersions), true)
    assert.equal(mayExpire(rule({ days: 1, isEnabled: false }), hasVersions), false)
    assert.equal(mayExpire(rule({ abortUploadsDays: 1 }), hasVersions), false)
    assert.equal(mayExpire(rule({ expiresMarkers: false }), hasVersions), false)
    // Without versions, these rules have no effect, as on S3.
    assert.equal(mayExpire(rule({ noncurrentDays: 1 }), hasVersions), hasVersions)
    assert.equal(mayExpire(rule({ expiresMarkers: true }), hasVersions), hasVersions)
  }
  assert.equal(abortsUploads([rule({ abortUploadsDays: 1 })]), true)
  assert.equal(abortsUploads([rule({ abortUploadsDays: 1, isEnabled: false })]), false)
  assert.equal(abortsUploads([rule({ days: 1 })]), false)
})

test('a rule with sizes is for objects between them', () => {
  const applies = (sizes: Partial<LifecycleRule>) =>
    expiryOf([rule({ days: 1, ...sizes })], '2024-01-01T00:00:00Z') !== undefined
  assert.ok(applies({ largerThan: 4 }) && applies({ smallerThan: 6 }))
  assert.ok(applies({ largerThan: 4, smallerThan: 6 }) && applies({ largerThan: 0 }))
  assert.ok(!applies({ largerThan: 5 }) && !applies({ smallerThan: 5 }))
  assert.ok(!applies({ largerThan: 4, smallerThan: 5 }) && !applies({ smallerThan: 0 }))
})

test('a rule with tags is for objects that have all of them', () => {
  const rules = [rule({ id: 'tagged', days: 1, tags: { a: '1', b: '' } })]
  const tagged = (tags: Parameters<typeof objectExpiry>[1]['tags']) =>
    expiryOf(rules, '2024-01-01T00:00:00Z', 'k', tags)?.[0]
  assert.equal(tagged({ a: '1', b: '', c: '3' }), 'tagged')
  assert.equal(tagged('unknown'), 'tagged')
  for (const tags of [undefined, {}, { a: '1' }, { a: '1', b: '2' }, { a: '', b: '' }]) {
    assert.equal(tagged(tags), undefined)
  }
  const inherited = [rule({ days: 1, tags: { constructor: '' } })]
  assert.equal(expiryOf(inherited, '2024-01-01T00:00:00Z', 'k', {}), undefined)
  const both = [...rules, rule({ id: 'later', days: 9 })]
  assert.equal(expiryOf(both, '2024-01-01T00:00:00Z', 'k', {})?.[0], 'later')
})

const formerOf = (
  rules: readonly LifecycleRule[],
  version: Partial<Parameters<typeof formerExpiry>[1]> = {},
) => {
  const replacedAtMs = Date.parse('2014-01-15T10:30:00Z')
  const known = { key: 'k', size: 5, replacedAtMs, newer: 0, tags: undefined, ...version }
  const expiry = formerExpiry(rules, known)
  return expiry && new Date(expiry.atMs).toISOString()
}

test('a former version expires at the midnight after its days, since it was replaced', () => {
  // The example of the S3 User Guide, "Lifecycle rules based on an object's age".
  assert.equal(formerOf([rule({ noncurrentDays: 3 })]), '2014-01-19T00:00:00.000Z')
  assert.equal(formerOf([rule({ days: 3 })]), undefined)
  assert.equal(formerOf([rule({ noncurrentDays: 3, prefix: 'other' })]), undefined)
  assert.equal(formerOf([rule({ noncurrentDays: 3, isEnabled: false })]), undefined)
  assert.equal(formerOf([rule({ noncurrentDays: 3, largerThan: 5 })]), undefined)
  const tagged = [rule({ noncurrentDays: 3, tags: { a: '1' } })]
  assert.equal(formerOf(tagged), undefined)
  assert.equal(formerOf(tagged, { tags: 'unknown' }), '2014-01-19T00:00:00.000Z')
})

test('the newest former versions stay if a rule keeps some', () => {
  const rules = [rule({ noncurrentDays: 3, newerNoncurrentVersions: 2 })]
  assert.deepEqual(
    [0, 1, 2, 3].map((newer) => formerOf(rules, { newer }) !== undefined),
    [false, false, true, true],
  )
})

test('a delete marker expires with its own rule, and by its age with Days', () => {
  const modifiedAtMs = Date.parse('2024-01-01T12:00:00Z')
  const expiryAt = (changed: Partial<LifecycleRule>) =>
    markerExpiry([rule(changed)], { key: 'k', modifiedAtMs })?.atMs
  assert.equal(expiryAt({ expiresMarkers: true }), modifiedAtMs)
  assert.equal(expiryAt({ expiresMarkers: true, smallerThan: 1 }), modifiedAtMs)
  assert.equal(expiryAt({ days: 2 }), Date.parse('2024-01-04T00:00:00Z'))
  assert.equal(expiryAt({ dateMs: 0 }), 0)
  for (const never of [
    { expiresMarkers: false },
    { expiresMarkers: true, isEnabled: false },
    { expiresMarkers: true, largerThan: 0 },
    { days: 2, tags: { a: '1' } },
    { noncurrentDays: 1 },
  ]) {
    assert.equal(expiryAt(never), undefined, JSON.stringify(never))
  }
})
