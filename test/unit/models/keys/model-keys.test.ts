import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { KeyLimits, monthMs } from '../../../../src/models/calls/key-limits.ts'
import { fitsGlob, newModelKey, parseModelKey } from '../../../../src/models/keys/model-keys.ts'

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

const of = (tokens: number, micros = 0) => ({ tokens, micros })

test('The limits of a minute fill up again with time', async () => {
  let wallMs = Date.parse('2026-11-26T12:00:00Z')
  let nowMs = 0
  const elapsed = () => nowMs
  const limits = new KeyLimits({ usedOfMonth: async () => of(0), now: () => wallMs, elapsed })
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
  limits.use('a', tokens, of(119))
  assert.equal((await limits.take('a', tokens))?.waitSeconds, 60)
  nowMs += 60_000
  assert.equal(await limits.take('a', tokens), undefined)
  // A clock that is set gives nothing.
  limits.use('a', tokens, of(60))
  for (const jumpMs of [-3_600_000, 7_200_000]) {
    wallMs += jumpMs
    assert.notEqual(await limits.take('a', tokens), undefined)
  }
})

test('Calls at once hold what such calls use, so that they cannot use much more than is left', async () => {
  for (const limits of [{ tokensPerMinute: 10_000 }, { tokensPerMonth: 10_000 }]) {
    let used = 0
    const now = () => Date.parse('2026-11-26T12:00:00Z')
    const all = new KeyLimits({ usedOfMonth: async () => of(used), now, elapsed: () => 0 })
    const hold = async (least: number) => {
      const held = await all.hold('a', limits, of(least))
      return typeof held === 'function' ? held : undefined
    }
    const use = (tokens: number) => {
      used += tokens
      all.use('a', limits, of(tokens))
    }
    // Of a key that has made no call, 1,000 each.
    const first = await Promise.all(Array.from({ length: 100 }, () => hold(1)))
    assert.equal(first.filter((one) => one !== undefined).length, 10)
    assert.equal((await all.take('a', limits))?.waitSeconds, 1)
    for (const release of first) {
      if (release === undefined) continue
      use(20)
      release()
      release()
    }
    // What they have used is little, so that more go at once; a large one counts as a whole.
    const large = await hold(9_500)
    assert.notEqual(large, undefined)
    const next = await Promise.all(Array.from({ length: 100 }, () => hold(1)))
    const many = next.filter((one) => one !== undefined).length
    assert.ok(many >= 15 && many <= 16, String(many))
    for (const release of [large, ...next]) release?.()
    use(5_000)
    assert.notEqual(await hold(1), undefined)
    assert.equal(await hold(1), undefined)
  }
})

test('A key without a limit of tokens holds nothing', async () => {
  const limits = new KeyLimits({ usedOfMonth: () => assert.fail(), now: Date.now })
  for (let count = 0; count < 100; count += 1)
    assert.equal(typeof (await limits.hold('a', { requestsPerMinute: 1 }, of(1e9))), 'function')
})

test('Calls at once do not use more money than is left', async () => {
  let micros = 0
  const limits = { dollarsPerMonth: 0.01 }
  const now = () => Date.parse('2026-12-31T23:59:30Z')
  const all = new KeyLimits({ usedOfMonth: async () => of(0, micros), now })
  // What each may cost is known, because its client limits the answer.
  const held = await Promise.all(
    Array.from({ length: 100 }, () => all.hold('a', limits, of(10, 2_500))),
  )
  const releases = held.filter((one) => typeof one === 'function')
  assert.equal(releases.length, 4)
  assert.deepEqual(held[4], {
    ...{ reason: 'has used its 0.01 US dollars for this month.', waitSeconds: 1 },
  })
  for (const release of releases) {
    micros += 1_000
    all.use('a', limits, of(10, 1_000))
    release()
  }
  assert.equal(await all.take('a', limits), undefined)
  // The most expensive of recent calls is expected where a client says nothing.
  all.use('a', limits, of(10, 3_000))
  const unknown = await Promise.all(
    Array.from({ length: 100 }, () => all.hold('a', limits, of(1, 1))),
  )
  assert.equal(unknown.filter((one) => typeof one === 'function').length, 2)
  micros = 10_000
  assert.equal((await all.take('a', limits))?.waitSeconds, 30)
})

test('The limit of a month ends with it', async () => {
  let used = 9
  const now = () => Date.parse('2026-12-31T23:59:30Z')
  const limits = new KeyLimits({ usedOfMonth: async () => of(used), now })
  assert.equal(await limits.take('a', { tokensPerMonth: 10 }), undefined)
  used = 10
  assert.equal((await limits.take('a', { tokensPerMonth: 10 }))?.waitSeconds, 30)
  assert.equal(monthMs(now()), Date.parse('2026-12-01T00:00:00Z'))
})

test('What is known of a deleted key is forgotten when another key comes', async () => {
  const present = new Set(['a', 'b'])
  const exists = (keyId: string) => present.has(keyId)
  const limits = new KeyLimits({ usedOfMonth: async () => of(0), now: Date.now, exists })
  const limited = { requestsPerMinute: 9, tokensPerMinute: 9 }
  for (const keyId of ['a', 'b']) {
    await limits.take(keyId, limited)
    limits.use(keyId, limited, of(5))
  }
  present.delete('a')
  limits.use('a', limited, of(5))
  present.add('c')
  await limits.take('c', limited)
  limits.use('a', limited, of(5))
  assert.deepEqual([...limits.knownKeys].toSorted(), ['b', 'c'])
})
