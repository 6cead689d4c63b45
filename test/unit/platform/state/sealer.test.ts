import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSealer } from '../../../../src/platform/state/sealer.ts'

const sealer = createSealer('one secret', 'providerKeys')

test('Sealer opens what it sealed for the same connection', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (apiKey, id) => {
      assert.equal(sealer.open(sealer.seal(apiKey, id), id), apiKey)
    }),
  )
})

test('Sealer never seals the same key to the same text', () => {
  assert.notEqual(sealer.seal('sk-1', 'a'), sealer.seal('sk-1', 'a'))
})

test('Sealer opens keys sealed by another gateway with the same SECRET_KEY', () => {
  assert.equal(
    createSealer('one secret', 'providerKeys').open(sealer.seal('sk-1', 'a'), 'a'),
    'sk-1',
  )
})

test('Sealer does not open under another SECRET_KEY or for another connection, or for another purpose', () => {
  const sealed = sealer.seal('sk-1', 'a')
  assert.equal(createSealer('another secret', 'providerKeys').open(sealed, 'a'), undefined)
  assert.equal(sealer.open(sealed, 'b'), undefined)
  assert.equal(createSealer('one secret', 'accessKeys').open(sealed, 'a'), undefined)
})

test('Sealer does not open a text of which any character was changed', () => {
  const sealed = sealer.seal('sk-12345', 'a')
  for (let index = 0; index < sealed.length - 1; index++) {
    const other = sealed[index] === 'A' ? 'B' : 'A'
    const changed = sealed.slice(0, index) + other + sealed.slice(index + 1)
    assert.equal(sealer.open(changed, 'a'), undefined, changed)
  }
})

test('Sealer does not open text that it never sealed', () => {
  for (const text of ['', 'v1.', 'v1.AAAA', 'v2.AAAA', 'sk-plain']) {
    assert.equal(sealer.open(text, 'a'), undefined, text)
  }
})

test('Sealer opens what an earlier version sealed', () => {
  // Fixed: a change of salt, info or layout would make every stored key unreadable.
  const sealed = 'v1.raODGPpUHbvqWR2hKu_EqVVVVeYT4uHLHMSyrOXkTg4rI4JXhA'
  assert.equal(sealer.open(sealed, 'connection'), 'sk-of-old')
})
