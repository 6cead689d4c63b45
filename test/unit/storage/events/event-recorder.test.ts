import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseError } from '../../../../src/platform/state/database.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import { EventRecorder, type RecorderParts } from '../../../../src/storage/events/event-recorder.ts'

type Call = 'intend' | 'confirm' | 'cancel'

/** A recorder on a table that holds `waiting` rows and fails in these calls. */
function createRecorder({
  maxWaiting = 10,
  failing = [],
}: {
  readonly maxWaiting?: number
  readonly failing?: readonly Call[]
} = {}) {
  const rows = new Map<string, 'intent' | 'confirmed'>()
  const calls: Call[] = []
  const full: boolean[] = []
  const run = (call: Call, act: () => void) => {
    calls.push(call)
    if (failing.includes(call)) throw new DatabaseError('away')
    act()
  }
  const parts: RecorderParts = {
    table: {
      async intend(given) {
        run('intend', () => {
          for (const { id, target } of given) rows.set(id + target, 'intent')
        })
      },
      async confirm(given) {
        run('confirm', () => {
          for (const { id, target } of given) rows.set(id + target, 'confirmed')
        })
      },
      async cancel(given) {
        run('cancel', () => {
          for (const { id, target } of given) rows.delete(id + target)
        })
      },
      countWaiting: async (most) => Math.min(most, rows.size),
    },
    ...{ now: () => 1, onEvents: () => undefined, onFull: (isFull) => full.push(isFull) },
    ...{ region: () => 'r', ownerId: 'o', maxWaiting },
    rules: () =>
      (['webhook', 'redis'] as const).map((target) => {
        return { id: 'i', target, events: ['s3:ObjectCreated:*'], prefix: '', suffix: '' }
      }),
  }
  return { recorder: new EventRecorder(parts), rows, calls, full }
}

const put = { bucket: 'b', key: 'k', etag: 'e', event: 'ObjectCreated:Put' } as const
const written = () => ({ etag: 'e', size: 1 })

test('the event of a change is stored before the change, and confirmed before its end', async () => {
  const { recorder, rows, calls } = createRecorder()
  await recorder.record(
    put,
    async () => assert.deepEqual([...rows.values()], ['intent', 'intent']),
    written,
  )
  assert.deepEqual([...rows.values()], ['confirmed', 'confirmed'])
  assert.deepEqual(calls, ['intend', 'confirm'])
})

test('a change whose event cannot be stored does not happen, or is not acknowledged', async () => {
  let changes = 0
  const change = async () => {
    changes += 1
  }
  const early = createRecorder({ failing: ['intend'] })
  await assert.rejects(early.recorder.record(put, change, written), DatabaseError)
  assert.equal(changes, 0)
  const late = createRecorder({ failing: ['confirm'] })
  await assert.rejects(late.recorder.record(put, change, written), DatabaseError)
  assert.deepEqual([changes, [...late.rows.values()]], [1, ['intent', 'intent']])
})

test('what certainly did not happen has no event; what may happen keeps its intent', async () => {
  for (const [kind, left] of [
    ...(['condition', 'not-found', 'no-bucket', 'denied'] as const).map((one) => [one, 0] as const),
    ...(['unavailable', 'busy', 'full'] as const).map((one) => [one, 2] as const),
  ]) {
    // Also if the intent cannot be removed, the error is that of the change.
    for (const failing of [[], ['cancel']] as const) {
      const { recorder, rows } = createRecorder({ failing })
      const failed = recorder.record(put, () => Promise.reject(new DriveError(kind, '')), written)
      await assert.rejects(failed, { kind })
      assert.equal(rows.size, failing.length > 0 ? 2 : left, kind)
    }
  }
  const { recorder, rows } = createRecorder()
  await recorder.record(
    put,
    async () => undefined,
    () => undefined,
  )
  assert.equal(rows.size, 0)
})

test('when too many events wait, changes go on without events, and are counted', async (t) => {
  const { recorder, rows, full } = createRecorder({ maxWaiting: 4 })
  const advance = (ms: number) => t.mock.method(performance, 'now', () => ms)
  let changes = 0
  const change = async () => {
    changes += 1
  }
  for (let second = 0; second < 5; second += 1) {
    advance(second * 2_000 + 10_000)
    await recorder.record(put, change, written)
  }
  assert.equal(changes, 5)
  assert.equal(rows.size, 4)
  assert.deepEqual(full, [false, false, true, true, true])
  rows.clear()
  advance(100_000)
  await recorder.record(put, change, written)
  assert.equal(rows.size, 2)
})

test('changes of a key wait for each other, but not for one that takes long', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { recorder, calls } = createRecorder()
  const slow = Promise.withResolvers<void>()
  const first = recorder.record(put, () => slow.promise, written)
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  await settled()
  const second = recorder.record(put, async () => undefined, written)
  await settled()
  assert.deepEqual(calls, ['intend'])
  t.mock.timers.tick(5_000)
  await second
  const third = recorder.record(put, async () => undefined, written)
  await settled()
  assert.deepEqual(calls, ['intend', 'intend', 'confirm'])
  slow.resolve()
  await Promise.all([first, third])
  assert.deepEqual(calls.slice(3), ['confirm', 'intend', 'confirm'])
})
