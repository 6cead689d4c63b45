import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  compatibleKinds,
  randomConnectionId,
  randomProviderId,
  withoutHexEnd,
} from '../../../../src/models/routing/random-id.ts'
import { compatibleFlavour } from '../../../../src/models/upstream/upstream.ts'

/**
 * The upstream of a provider with such an id is never asked
 * (docs/contract/model-list.md, "Ids from the upstream").
 */
const hexEnd = /[-_][0-9a-f]{8,}$/i

test('randomConnectionId returns a different id each time', () => {
  const ids = new Set(Array.from({ length: 1_000 }, randomConnectionId))
  assert.equal(ids.size, 1_000)
})

test('randomProviderId ends in no run of hex digits, whatever the name', () => {
  fc.assert(
    fc.property(fc.constantFrom(...compatibleKinds), fc.string(), (kind, name) => {
      const id = randomProviderId(kind, name)
      assert.equal(`${compatibleFlavour(id)}-compatible`, kind)
      assert.match(id, /^[a-z0-9-]+$/)
      assert.doesNotMatch(id, hexEnd)
    }),
  )
})

test('randomProviderId has the name in it', () => {
  assert.match(
    randomProviderId('openai-compatible', ' My Server (2) '),
    /^openai-compatible-my-server-2-[g-z]{12}$/,
  )
  assert.match(randomProviderId('anthropic-compatible', 'é'), /^anthropic-compatible-[g-z]{12}$/)
})

test('withoutHexEnd puts letters in place of a run of hex digits, always the same ones', () => {
  const uuid = '3f2b8c1d-0a4e-4f6b-9c7d-1e2f3a4b5c6d'
  const renamed = withoutHexEnd(`openai-compatible-chat-${uuid}`)
  assert.match(renamed, /^openai-compatible-chat-[g-z]{12}$/)
  assert.equal(withoutHexEnd(`openai-compatible-chat-${uuid}`), renamed)
  assert.notEqual(withoutHexEnd(`openai-compatible-chat-${uuid.replace('3', '4')}`), renamed)
  assert.match(withoutHexEnd('openai-compatible-x_DEADBEEF'), /^openai-compatible-x-[g-z]{12}$/)
})

test('withoutHexEnd leaves ids alone that do not end so, and is done at once', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[-_0-9a-g]{0,40}$/), (end) => {
      const renamed = withoutHexEnd(`openai-compatible-x${end}`)
      assert.doesNotMatch(renamed, hexEnd)
      assert.equal(withoutHexEnd(renamed), renamed)
    }),
  )
  for (const id of ['openai-compatible-chat-abcdef0', 'openai-compatible-x-abcdefgh', 'deepseek']) {
    assert.equal(withoutHexEnd(id), id)
  }
})
