import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallEntry } from '../../../../src/models/calls/call-record.ts'
import { UsageBatch } from '../../../../src/models/usage/usage-batch.ts'
import type { UsageRow } from '../../../../src/models/usage/usage-table.ts'

const entry = (keyId: string, output = 10): CallEntry => ({
  ...{ keyId, connectionId: 'c', model: 'm', path: '/chat/completions', failed: undefined },
  ...{ isFallback: false, tokens: { input: 0, output }, estimatedTokens: 0, costMicros: 3 },
  ...{ receivedBytes: 1, sentBytes: 1, firstByteMs: 1 },
})

function open() {
  const world = {
    ...{ nowMs: Date.parse('2026-11-26T12:30:00Z'), elapsedMs: 0, isFailing: false, warnings: 0 },
    ...{ questions: 0, answering: Promise.resolve() },
  }
  const stored: UsageRow[] = []
  const batch = new UsageBatch({
    table: {
      async add(rows) {
        if (world.isFailing) throw new Error('away')
        stored.push(...rows)
      },
      keysSince: async (fromMs) => {
        world.questions += 1
        const answer = new Map(
          Object.entries(Object.groupBy(stored, ({ keyId }) => keyId)).map(([keyId, rows = []]) => [
            keyId,
            rows
              .filter((row) => row.fromMs >= fromMs)
              .reduce(
                ({ tokens, micros }, row) => ({
                  tokens: tokens + row.outputTokens,
                  micros: micros + row.costMicros,
                }),
                { tokens: 0, micros: 0 },
              ),
          ]),
        )
        await world.answering
        return answer
      },
    },
    now: () => world.nowMs,
    elapsed: () => world.elapsedMs,
    log: {
      warn() {
        world.warnings += 1
      },
    },
  })
  return { world, stored, batch }
}

test('Entries of an hour are one row', async () => {
  const { world, stored, batch } = open()
  batch.note(entry('a'))
  batch.note(entry('a'))
  batch.note(entry('b'))
  world.nowMs += 3_600_000
  batch.note(entry('a'))
  await batch.flush()
  assert.deepEqual(
    stored.map(({ keyId, requests, outputTokens }) => [keyId, requests, outputTokens]),
    [
      ['a', 2, 20],
      ['b', 1, 10],
      ['a', 1, 10],
    ],
  )
  await batch.flush()
  assert.equal(stored.length, 3)
})

test('Usage that could not be stored is stored later; the failure is logged once', async () => {
  const { world, stored, batch } = open()
  world.isFailing = true
  batch.note(entry('a'))
  await batch.flush()
  batch.note(entry('a'))
  await batch.flush()
  assert.equal(world.warnings, 1)
  world.isFailing = false
  await batch.flush()
  assert.deepEqual(
    stored.map(({ requests }) => requests),
    [2],
  )
})

test('The tokens of a month are those of the database and those that are not stored yet', async () => {
  const { world, batch } = open()
  assert.equal((await batch.usedOfMonth('a')).tokens, 0)
  batch.note(entry('a'))
  assert.equal((await batch.usedOfMonth('a')).tokens, 10)
  await batch.flush()
  batch.note(entry('a'))
  assert.deepEqual(await batch.usedOfMonth('a'), { tokens: 20, micros: 6 })
  assert.equal((await batch.usedOfMonth('b')).tokens, 0)
  world.nowMs = Date.parse('2026-12-01T00:00:00Z')
  assert.equal((await batch.usedOfMonth('a')).tokens, 0)
})

test('Calls at once ask for a month once, and what is written meanwhile counts once', async () => {
  const { world, batch } = open()
  batch.note(entry('a'))
  const { promise, resolve } = Promise.withResolvers<void>()
  world.answering = promise
  const asked = Array.from({ length: 50 }, () => batch.usedOfMonth('a'))
  await new Promise((done) => setImmediate(done))
  // While the database answers.
  batch.note(entry('a'))
  const flushed = batch.flush()
  resolve()
  assert.deepEqual(new Set((await Promise.all(asked)).map(({ tokens }) => tokens)), new Set([20]))
  await flushed
  assert.equal((await batch.usedOfMonth('a')).tokens, 20)
  // Again after the write.
  assert.equal(world.questions, 2)
})

test('A clock that is set back does not keep an old answer', async () => {
  const { world, stored, batch } = open()
  assert.equal((await batch.usedOfMonth('a')).tokens, 0)
  stored.push({ ...(await storedBy('a')), fromMs: world.nowMs })
  world.nowMs -= 86_400_000
  world.elapsedMs += 31_000
  assert.equal((await batch.usedOfMonth('a')).tokens, 10)
})

/** The row of another process. */
async function storedBy(keyId: string): Promise<UsageRow> {
  const { stored, batch } = open()
  batch.note(entry(keyId))
  await batch.flush()
  return stored[0] as UsageRow
}

test('An id that PostgreSQL cannot store is stored in another form', async () => {
  const { stored, batch } = open()
  batch.note({ ...entry('a'), model: 'lab/a\0b' })
  await batch.flush()
  assert.equal(stored[0]?.model, 'lab/a\ufffdb')
})
