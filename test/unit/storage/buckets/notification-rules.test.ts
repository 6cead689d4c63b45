import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  doOverlap,
  type NotificationRule,
  rulesFor,
} from '../../../../src/storage/buckets/notification-rules.ts'
import { leastCpuMsOf } from '../../../support/cpu-time.ts'

const rule = (more: Partial<NotificationRule> = {}): NotificationRule => ({
  ...{
    id: 'i',
    target: 'webhook',
    events: ['s3:ObjectCreated:*'],
    prefix: '',
    suffix: '',
    ...more,
  },
})

test('a filter is in the encoding of AWS or as it is, and compares whole characters', () => {
  for (const [filter, key, isWanted] of [
    [{ prefix: 'a b/' }, 'a b/c', true],
    [{ prefix: 'a+b/' }, 'a b/c', true],
    [{ prefix: 'a+b/' }, 'a+b/c', true],
    [{ prefix: 'a%2Bb/' }, 'a+b/c', true],
    [{ prefix: 'a%2Bb/' }, 'a b/c', false],
    [{ prefix: 'ü' }, 'über', true],
    [{ prefix: '%C3%BC' }, 'über', true],
    [{ prefix: '%C3' }, 'über', false],
    [{ prefix: '100%' }, '100% wool', true],
    [{ prefix: 'u\u0308' }, 'über', false],
    [{ suffix: '.JPG' }, 'a.jpg', false],
    [{ suffix: '%F0%9F%98%80' }, 'a😀', true],
    [{ suffix: '😀' }, 'a😀', true],
    [{ prefix: 'ab', suffix: 'bc' }, 'abc', true],
  ] as const) {
    const found = rulesFor([rule(filter)], key, 'ObjectCreated:Put')
    assert.equal(found.length === 1, isWanted, `${JSON.stringify(filter)} ${key}`)
  }
})

test('an event is wanted by its name or by that of its type', () => {
  for (const [events, event, isWanted] of [
    [['s3:ObjectCreated:*'], 'ObjectCreated:Copy', true],
    [['s3:ObjectCreated:Put'], 'ObjectCreated:Copy', false],
    [['s3:ObjectCreated:Put', 's3:ObjectCreated:Copy'], 'ObjectCreated:Copy', true],
    [['s3:ObjectRemoved:*'], 'LifecycleExpiration:Delete', false],
    [['s3:LifecycleExpiration:*'], 'LifecycleExpiration:Delete', true],
    [['s3:LifecycleExpiration:*'], 'LifecycleExpiration:DeleteMarkerCreated', true],
    [['s3:ObjectRemoved:*'], 'ObjectRemoved:DeleteMarkerCreated', true],
    [['s3:ObjectRemoved:Delete'], 'ObjectRemoved:DeleteMarkerCreated', false],
    [['s3:ObjectRemoved:DeleteMarkerCreated'], 'ObjectRemoved:Delete', false],
  ] as const) {
    assert.equal(rulesFor([rule({ events })], 'k', event).length === 1, isWanted, event)
  }
})

test('rules overlap if a key and an event fit both', () => {
  const images = { prefix: 'images/', suffix: '.jpg' }
  for (const [a, b, isOverlap] of [
    [{}, {}, true],
    [{ prefix: 'a' }, { prefix: 'b' }, false],
    [{ prefix: 'a' }, { prefix: 'ab' }, true],
    [images, { prefix: 'images/', suffix: '.png' }, false],
    [images, { suffix: 'jpg' }, true],
    [{ events: ['s3:ObjectCreated:Put'] }, { events: ['s3:ObjectCreated:Copy'] }, false],
    [{ events: ['s3:ObjectCreated:Put'] }, { events: ['s3:ObjectCreated:*'] }, true],
  ] as const) {
    assert.equal(doOverlap(rule(a), rule(b)), isOverlap)
    assert.equal(doOverlap(rule(b), rule(a)), isOverlap)
  }
})

test('filters that cannot be decoded take no long time for each change', () => {
  const rules = Array.from({ length: 100 }, (_, index) =>
    rule({ id: String(index), prefix: `${'+'.repeat(1_000)}%`, suffix: '%'.repeat(1_000) }),
  )
  const key = ' '.repeat(1_024)
  assert.deepEqual(rulesFor(rules, key, 'ObjectCreated:Put'), [])
  const tookMs = leastCpuMsOf(() => {
    for (let change = 0; change < 20; change += 1) rulesFor(rules, key, 'ObjectCreated:Put')
  })
  assert.ok(tookMs < 20, `${tookMs} ms`)
})
