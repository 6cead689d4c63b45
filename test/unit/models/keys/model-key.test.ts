import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { KeyLimits, monthMs } from '../../../../src/models/calls/key-limits.ts'
import { fitsGlob, newModelKey, parseModelKey } from '../../../../src/models/keys/model-key.ts'

test('A key that was made is parsed, and nothing else', () => {
  const { keyId, secret, text } = newModelKey()
  assert.deepEqual(parseModelKey(text), { keyId, secret })
  for (const other of ['', 'bmk_', text.slice(1), `${text}x`, text.toUpperCase(), ` ${text}`]) {
    assert.equal(parseModelKey(other), undefined)
  }
})

test('A glob fits like a regular expression of the same meaning', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.'), maxLength: 12 })
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '*'), maxLength: 8 })
  const property = fc.property(text, pattern, (id, glob) => {
    const expression = glob
      .split('*')
      .map((piece) => piece.replaceAll('.', '\\.'))
      .join('.*')
    assert.equal(fitsGlob(id, glob), new RegExp(`^${expression}$`, 's').test(id), `${id} ${glob}`)
  })
  fc.assert(property, { numRuns: 5_000 })
})

test('No glob takes long', () => {
  const id = 'a'.repeat(100_000)
  assert.equal(fitsGlob(id, `${'*a'.repeat(250)}*b`), false)
})

test('The limits of a minute fill up again with time', async () => {
  let wallMs = Date.parse('2026-11-26T12:00:00Z')
  let nowMs = 0
  const elapsed = () => nowMs
  const limits = new KeyLimits({ tokensOfMonth: async () => 0, now: () => wallMs, elapsed })
  const requests = { requestsPerMinute: 60 }
  for (let count = 0; count < 60; count += 1)
    assert.equal(await limits.take('a', requests), undefined)
  assert.equal((await limits.take('a', requests))?.waitSeconds, 1)
  assert.equal(await limits.take('b', requests), undefined)
  nowMs += 1_000
  assert.equal(await limits.take('a', requests), undefined)
  assert.notEqual(await limits.take('a', requests), undefined)
  // An answer may overdraw; what is missing is waited for.
  const tokens = { tokensPerMinute: 60 }
  assert.equal(await limits.take('a', tokens), undefined)
  limits.use('a', tokens, 119)
  assert.equal((await limits.take('a', tokens))?.waitSeconds, 60)
  nowMs += 60_000
  assert.equal(await limits.take('a', tokens), undefined)
  // A clock that is set gives nothing.
  limits.use('a', tokens, 60)
  for (const jumpMs of [-3_600_000, 7_200_000]) {
    wallMs += jumpMs
    assert.notEqual(await limits.take('a', tokens), undefined)
  }
})

test('The limit of a month ends with it', async () => {
  let used = 9
  const now = () => Date.parse('2026-12-31T23:59:30Z')
  const limits = new KeyLimits({ tokensOfMonth: async () => used, now })
  assert.equal(await limits.take('a', { tokensPerMonth: 10 }), undefined)
  used = 10
  assert.equal((await limits.take('a', { tokensPerMonth: 10 }))?.waitSeconds, 30)
  assert.equal(monthMs(now()), Date.parse('2026-12-01T00:00:00Z'))
})
