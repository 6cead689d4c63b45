import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { KeyLimits, monthMs } from '../../../../src/models/calls/key-limits.ts'
import {
  fitsGlob,
  type ModelKeyLimits,
  newModelKey,
  parseModelKey,
} from '../../../../src/models/keys/model-keys.ts'

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

/** What is reserved for a call that uses 10 tokens at least. */
const most = (tokens: number, micros = 0) => ({ ...of(tokens, micros), inputTokens: 10 })
const now = () => Date.parse('2026-12-31T23:59:30Z')

/** Begins as many calls as are let through at once. */
async function holdMany(all: KeyLimits, limits: ModelKeyLimits, each: ReturnType<typeof most>) {
  const held = await Promise.all(Array.from({ length: 100 }, () => all.hold('a', limits, each)))
  const releases = held.filter((one) => typeof one === 'function')
  return { releases, refusals: held.filter((one) => typeof one !== 'function') }
}

test('Calls at once exceed a limit of a month by one call at most, whatever they use', async () => {
  for (const [limits, each] of [
    [{ tokensPerMonth: 10_000 }, most(4_000)],
    [{ dollarsPerMonth: 0.01 }, most(1, 4_000)],
  ] as const) {
    let used = of(0)
    const all = new KeyLimits({ usedOfMonth: async () => used, now, patienceMs: 0 })
    const { releases, refusals } = await holdMany(all, limits, each)
    // The third of them may exceed the limit.
    assert.equal(releases.length, 3)
    assert.equal(refusals[0]?.waitSeconds, 1)
    assert.match(refusals[0]?.reason ?? '', /in progress/)
    for (const release of releases) {
      used = of(used.tokens + 20, used.micros + 20)
      all.use('a', limits, of(20, 20))
      release()
      release()
    }
    // They have used little. The next ones may use more all the same.
    assert.equal((await holdMany(all, limits, each)).releases.length, 3)
    // Another key has limits of its own.
    assert.equal(typeof (await all.hold('b', limits, each)), 'function')
    used = of(10_000, 10_000)
    assert.equal((await all.take('a', limits))?.waitSeconds, 30)
  }
})

test('A key far from its limit is not slowed', async () => {
  for (const limits of [{ tokensPerMonth: 100e6 }, { dollarsPerMonth: 1_000 }]) {
    const all = new KeyLimits({ usedOfMonth: async () => of(1), now })
    const { releases } = await holdMany(all, limits, most(128_000, 1_280_000))
    assert.equal(releases.length, 100)
  }
})

test('Calls near a limit wait for those in progress', async () => {
  let used = 0
  const limits = { tokensPerMonth: 1_000 }
  const all = new KeyLimits({ usedOfMonth: async () => of(used), now })
  let running = 0
  let served = 0
  const refused: unknown[] = []
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const held = await all.hold('a', limits, most(100_000))
      if (typeof held !== 'function') {
        refused.push(held.isHeld)
        return
      }
      running += 1
      assert.equal(running, 1)
      await new Promise(setImmediate)
      running -= 1
      served += 1
      used += 100
      held()
    }),
  )
  assert.equal(served, 10)
  assert.deepEqual(
    refused,
    Array.from({ length: 10 }, () => undefined),
  )
  // No more than a hundred wait.
  used = 0
  const first = await all.hold('a', limits, most(100_000))
  const others = Array.from({ length: 101 }, () => all.hold('a', limits, most(100_000)))
  assert.equal(typeof (await others[100]), 'object')
  used = 1_000
  assert.ok(typeof first === 'function')
  first()
  for (const other of await Promise.all(others)) assert.equal(typeof other, 'object')
})

test('For a limit of a minute, what recent calls used is expected, and at first the most', async () => {
  const limits = { tokensPerMinute: 10_000 }
  const all = new KeyLimits({
    usedOfMonth: () => assert.fail(),
    now,
    elapsed: () => 0,
    patienceMs: 0,
  })
  const { releases } = await holdMany(all, limits, most(128_000))
  assert.equal(releases.length, 1)
  all.use('a', limits, of(500))
  releases[0]?.()
  // 9,500 are left.
  const next = await holdMany(all, limits, most(128_000))
  assert.equal(next.releases.length, 19)
  assert.equal(next.refusals[0]?.waitSeconds, 1)
  assert.match(next.refusals[0]?.reason ?? '', /in progress.*10000 tokens a minute/)
  for (const release of next.releases) release()
  // A client that limits its answer reserves no more than that, and one with a long prompt no less.
  assert.equal((await holdMany(all, limits, most(100))).releases.length, 95)
  assert.equal(
    typeof (await all.hold('b', limits, { ...most(1e6), inputTokens: 9_999 })),
    'function',
  )
})

test('A key without a limit of tokens holds nothing', async () => {
  const limits = new KeyLimits({ usedOfMonth: () => assert.fail(), now: Date.now })
  for (let count = 0; count < 100; count += 1)
    assert.equal(typeof (await limits.hold('a', { requestsPerMinute: 1 }, most(1e9))), 'function')
})

test('The limit of a month ends with it', async () => {
  let used = 9
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
