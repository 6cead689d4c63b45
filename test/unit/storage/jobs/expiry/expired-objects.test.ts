import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LifecycleRule } from '../../../../../src/storage/buckets/lifecycle-rules.ts'
import { expiringPrefixes } from '../../../../../src/storage/jobs/expiry/expired-objects.ts'

const rule = (prefix: string, changed: Partial<LifecycleRule> = {}): LifecycleRule => ({
  ...{ id: prefix, prefix, prefixForm: 'filter', isEnabled: true, days: 1, ...changed },
})
const prefixesOf = (names: readonly string[], after = '') =>
  expiringPrefixes(
    names.map((name) => rule(name)),
    after,
  )

test('each prefix is listed once, in key order', () => {
  assert.deepEqual(prefixesOf(['b/', 'a/', 'a/b/', 'b/']), ['a/', 'b/'])
  assert.deepEqual(prefixesOf(['a/', '', 'b/']), [''])
  assert.deepEqual(prefixesOf(['a', 'a!', 'a/b', 'b']), ['a', 'b'])
  // U+FFFF is before U+10000 in UTF-8, but not in UTF-16.
  assert.deepEqual(prefixesOf(['\u{10000}', '\uffff']), ['\uffff', '\u{10000}'])
})

test('rules that remove no objects need no listing', () => {
  const { days: _, ...uploadsOnly } = rule('a/', { abortUploadsDays: 1 })
  const rules = [uploadsOnly, rule('b/', { isEnabled: false }), rule('c/')]
  assert.deepEqual(expiringPrefixes(rules, ''), ['c/'])
})

test('a run that continues skips the prefixes that it has listed', () => {
  assert.deepEqual(prefixesOf(['a/', 'b/', 'c/'], 'b/5'), ['b/', 'c/'])
  assert.deepEqual(prefixesOf(['a/', 'c/'], 'b/5'), ['c/'])
  assert.deepEqual(prefixesOf([''], 'b/5'), [''])
})
